// The state of each lab, and the labels of its controls and options. Written by `make bundle`
// (lab/declared.py) from what Python declares.

export interface States {
  "advantages/layers": {
    n: number;
    d: number;
    kernel: number;
    window: number;
    count: "table" | "simple" | "lstm" | "layer";
  };
  "advantages/path": {
    scale: number;
    unit: "loud" | "quiet" | "tiny" | "none";
    matrix: "normal" | "rotation";
    gate: number;
    lead: number;
    seed: number;
  };
  "dot_vs_additive/cost": {
    n: number;
    d_k: number;
  };
  "dot_vs_additive/spread": {
    d_k: number;
    start: "one" | "fan_in";
    size_q: number;
    size_k: number;
    seed: number;
  };
  "dropout_sites/mask": {
    site: "attention" | "hidden" | "embedding" | "residual";
    p: number;
    spread: number;
    scaling: "train" | "test" | "none";
    seed: number;
  };
  "dropout_sites/rely": {
    p: number;
    examples: "10" | "30" | "100" | "fresh";
    seed: number;
  };
  "dropout_sites/sites": {
    embedding: "no" | "yes";
    projections: "no" | "yes";
    attention: "no" | "yes";
    attention_out: "no" | "yes";
    stream: "no" | "yes";
    hidden: "no" | "yes";
    feed_out: "no" | "yes";
    source: "hidden" | "paper" | "first" | "later" | "bert" | "torch" | "olmo";
  };
  "embedding_scale/balance": {
    multiplier: "off" | "on";
    spread: "small" | "root" | "one";
    positions: "sine" | "learned";
    norm: "off" | "on";
    d_model: number;
    seed: number;
  };
  "embedding_scale/two_uses": {
    spread: "small" | "root" | "one";
    into: "one" | "root";
    out: "one" | "root";
    d_model: number;
    seed: number;
  };
  "framework/assembly": {
    kind: "both" | "encoder" | "decoder";
    block: "embedding" | "positions" | "self_attention" | "masked_attention" | "cross_attention" | "add_norm" | "feed_forward" | "output";
    d_model: number;
    n_heads: number;
    d_ff: number;
    n_layers: number;
    vocabulary: number;
    n_tokens: number;
  };
  "framework/follow": {
    wish: "animal" | "action" | "nothing";
    divisor: "sqrt" | "1";
    station: number;
  };
  "framework/wiring": {
    mask: "causal" | "late" | "none";
    memory: "encoder" | "decoder";
    position: number;
    changed: number;
    seed: number;
  };
  "head_size/budget": {
    pattern: "itself" | "previous" | "blocks" | "shuffled" | "three";
    width: "split" | "full";
    heads: number;
    gain: number;
    seed: number;
  };
  "layer_norm/normalisation": {
    norm: "batch" | "eval" | "layer" | "rms" | "none";
    padding: "left_out" | "counted";
    first: "dogs" | "wolves" | "owls" | "children";
    length: number;
    batch: number;
    padded_to: number;
    which: "A" | "B" | "C" | "D";
    position: number;
    feature: number;
  };
  "layer_norm/placement": {
    n_layers: number;
    inside: "feed" | "both";
    start: "fan_in" | "pytorch";
    quantity: "matrix" | "stream";
    seed: number;
  };
  "multi_head/two_wishes": {
    heads: "one" | "half" | "two";
    asked: "whole" | "parts";
    first: number;
    second: number;
    seed: number;
  };
  "multi_head/which_head": {
    layer: number;
    head: number;
  };
  "no_projections/many": {
    projections: "none" | "same" | "q" | "qk";
    values: "x" | "w";
    divisor: "1" | "sqrt";
    d: number;
    n_tokens: number;
    spread: number;
    seed: number;
  };
  "no_projections/plane": {
    lengths: number[];
    angles: number[];
    divisor: number;
    rounds: number;
  };
  "no_projections/roles": {
    asks: number;
    head: "who" | "how" | "before";
  };
  "qk_weights/each_other": {
    matrices: "one" | "two";
    angle: number;
    length_it: number;
    length_cat: number;
  };
  "qk_weights/real_heads": {
    blend: number;
    layer: number;
    head: number;
    text: "boy" | "root";
  };
  "relative_positions/clocks": {
    scheme: "added" | "bare" | "full" | "rotary";
    position: number;
    distance: number;
    seed: number;
  };
  "relative_positions/distance": {
    wish: "fade" | "recent" | "window";
    length: number;
    beyond: "on" | "squeezed";
    held: "little" | "some" | "much";
  };
  "softmax_saturation/gap": {
    a: number;
  };
  "softmax_saturation/saturation": {
    logits: number[];
    temperature: number;
    offset: number;
    upstream: "largest" | "second" | "alternate";
  };
  "weight_tying/rows": {
    lengths: number[];
    angles: number[];
    rows: "own" | "one";
  };
  "weight_tying/traffic": {
    tied: "untied" | "tied";
    tokens: number;
    exponent: number;
    seed: number;
  };
  "why_sqrt_dk/sampling": {
    d_k: number;
    distribution: "normal" | "uniform" | "sign" | "bernoulli";
    n_pairs: number;
    seed: number;
  };
  "why_sqrt_dk/scale": {
    d_k: number;
    n_keys: number;
    divisor: "1" | "sqrt" | "d_k";
    rho: number;
    related: "one" | "all";
    quantity: "largest_weight" | "entropy" | "largest_entry" | "gradient_q" | "gradient_w_q";
    seed: number;
  };
  "why_sqrt_dk/start": {
    d_k: number;
    divisor: "1" | "sqrt";
    n_keys: "8" | "64" | "512";
    seed: number;
  };
  "why_sqrt_dk/trained_scores": {
    text: "tired" | "boy" | "root";
    layer: number;
    head: number;
    power: number;
  };
  "why_sqrt_dk/training": {
    d_k: number;
    rate: "0.0003" | "0.001" | "0.003" | "0.01";
    quantity: "loss" | "gradient" | "entropy";
  };
}

export const advantages_layers_controls = {
  n: "tokens n",
  d: "width d",
  kernel: "kernel k",
  window: "window r",
  count: "count",
} as const;

export const advantages_layers = {
  count: {
    table: "table 1",
    simple: "attention, RNN",
    lstm: "attention, LSTM",
    layer: "whole layer, LSTM",
  },
} as const;

export const advantages_path_controls = {
  scale: "scale of W",
  unit: "inputs of tanh",
  matrix: "W is made of",
  gate: "gate f",
  lead: "lead",
  seed: "draw",
} as const;

export const advantages_path = {
  unit: {
    loud: "0.5",
    quiet: "0.1",
    tiny: "0.05",
    none: "no tanh",
  },
  matrix: {
    normal: "random numbers",
    rotation: "a rotation",
  },
} as const;

export const dot_vs_additive_cost_controls = {
  n: "tokens n",
  d_k: "dₖ",
} as const;

export const dot_vs_additive_spread_controls = {
  d_k: "dₖ",
  start: "entries of a",
  size_q: "size of q",
  size_k: "size of k",
  seed: "draw",
} as const;

export const dot_vs_additive_spread = {
  start: {
    one: "variance 1",
    fan_in: "variance 1/dₖ",
  },
} as const;

export const dropout_sites_mask_controls = {
  site: "dropout on",
  p: "rate p",
  spread: "spread",
  scaling: "scaled",
  seed: "draw",
} as const;

export const dropout_sites_mask = {
  site: {
    attention: "attention weights",
    hidden: "ReLU outputs",
    embedding: "embedding sum",
    residual: "sub-layer output",
  },
  scaling: {
    train: "÷ (1 − p) in training",
    test: "× (1 − p) in evaluation",
    none: "nowhere",
  },
} as const;

export const dropout_sites_rely_controls = {
  p: "rate p",
  examples: "examples",
  seed: "draw",
} as const;

export const dropout_sites_rely = {
  examples: {
    10: "10, again and again",
    30: "30, again and again",
    100: "100, again and again",
    fresh: "new ones at every step",
  },
} as const;

export const dropout_sites_sites_controls = {
  embedding: "sum of embedding and position",
  projections: "queries, keys and values",
  attention: "attention weights, after the softmax",
  attention_out: "output of attention, before it is added",
  stream: "the sum itself, after adding",
  hidden: "inside the feed-forward network, after the ReLU",
  feed_out: "output of feed-forward, before it is added",
  source: "compare with",
} as const;

export const dropout_sites_sites = {
  embedding: {
    no: "no",
    yes: "dropout",
  },
  projections: {
    no: "no",
    yes: "dropout",
  },
  attention: {
    no: "no",
    yes: "dropout",
  },
  attention_out: {
    no: "no",
    yes: "dropout",
  },
  stream: {
    no: "no",
    yes: "dropout",
  },
  hidden: {
    no: "no",
    yes: "dropout",
  },
  feed_out: {
    no: "no",
    yes: "dropout",
  },
  source: {
    hidden: "nothing yet",
    paper: "the paper's text, 2017",
    first: "tensor2tensor, 15 June 2017",
    later: "tensor2tensor, October 2017",
    bert: "BERT's code, 2018",
    torch: "PyTorch's encoder layer",
    olmo: "OLMo 2's configuration, 2024",
  },
} as const;

export const embedding_scale_balance_controls = {
  multiplier: "multiply words by",
  spread: "spread of the table",
  positions: "positions",
  norm: "behind the sum",
  d_model: "d_model",
  seed: "draw",
} as const;

export const embedding_scale_balance = {
  multiplier: {
    off: "1",
    on: "√d_model",
  },
  spread: {
    small: "0.02",
    root: "1 / √d_model",
    one: "1",
  },
  positions: {
    sine: "sines",
    learned: "drawn like words",
  },
  norm: {
    off: "nothing",
    on: "LayerNorm",
  },
} as const;

export const embedding_scale_two_uses_controls = {
  spread: "spread of the table",
  into: "on the way in",
  out: "on the way out",
  d_model: "d_model",
  seed: "draw",
} as const;

export const embedding_scale_two_uses = {
  spread: {
    small: "0.02",
    root: "1 / √d_model",
    one: "1",
  },
  into: {
    one: "× 1",
    root: "× √d_model",
  },
  out: {
    one: "× 1",
    root: "÷ √d_model",
  },
} as const;

export const framework_assembly_controls = {
  kind: "model",
  block: "block",
  d_model: "d_model",
  n_heads: "heads h",
  d_ff: "d_ff",
  n_layers: "layers N",
  vocabulary: "vocabulary V",
  n_tokens: "tokens n",
} as const;

export const framework_assembly = {
  kind: {
    both: "encoder and decoder (2017)",
    encoder: "encoder only (BERT)",
    decoder: "decoder only (GPT)",
  },
  block: {
    embedding: "embedding",
    positions: "positions",
    self_attention: "self-attention",
    masked_attention: "masked self-attention",
    cross_attention: "cross-attention",
    add_norm: "add & norm",
    feed_forward: "feed-forward",
    output: "linear & softmax",
  },
} as const;

export const framework_follow_controls = {
  wish: "it asks for",
  divisor: "scores",
  station: "station",
} as const;

export const framework_follow = {
  divisor: {
    sqrt: "÷ √4",
    1: "not divided",
  },
} as const;

export const framework_wiring_controls = {
  mask: "masked self-attention looks",
  memory: "cross-attention: K and V from",
  position: "output",
  changed: "word exchanged",
  seed: "draw",
} as const;

export const framework_wiring = {
  mask: {
    causal: "up to itself",
    late: "one too far",
    none: "no mask",
  },
  memory: {
    encoder: "the encoder",
    decoder: "the decoder",
  },
} as const;

export const head_size_budget_controls = {
  pattern: "each query wants",
  width: "size of a head dₖ",
  heads: "heads h",
  gain: "gain",
  seed: "draw",
} as const;

export const head_size_budget = {
  pattern: {
    itself: "itself",
    previous: "the one before",
    blocks: "its block of 4",
    shuffled: "one key each, shuffled",
    three: "three keys each",
  },
  width: {
    split: "d_model / h",
    full: "d_model, every head",
  },
} as const;

export const layer_norm_normalisation_controls = {
  norm: "norm",
  padding: "padding is",
  first: "sentence B begins with",
  length: "length of B",
  batch: "sentences in the batch",
  padded_to: "positions with padding",
  which: "cell in sentence",
  position: "position of the cell",
  feature: "feature of the cell",
} as const;

export const layer_norm_normalisation = {
  norm: {
    batch: "BatchNorm, training",
    eval: "BatchNorm, inference",
    layer: "LayerNorm",
    rms: "RMSNorm",
    none: "no norm",
  },
  padding: {
    left_out: "left out of the statistics",
    counted: "counted",
  },
} as const;

export const layer_norm_placement_controls = {
  n_layers: "layers L",
  inside: "each layer has",
  start: "initial scale",
  quantity: "show the gradient",
  seed: "draw",
} as const;

export const layer_norm_placement = {
  inside: {
    feed: "feed-forward",
    both: "attention and feed-forward",
  },
  start: {
    fan_in: "variance 1/fan-in",
    pytorch: "as in PyTorch",
  },
  quantity: {
    matrix: "at the second matrix of each layer",
    stream: "at what enters each layer",
  },
} as const;

export const multi_head_two_wishes_controls = {
  heads: "heads",
  asked: "wanted of the two words",
  first: "head 1: cat to tired",
  second: "head 2: cat to tired",
  seed: "draw",
} as const;

export const multi_head_two_wishes = {
  heads: {
    one: "one",
    half: "two, half size",
    two: "two, full size",
  },
  asked: {
    whole: "both whole",
    parts: "half of each",
  },
} as const;

export const multi_head_which_head_controls = {
  layer: "layer",
  head: "head",
} as const;

export const no_projections_many_controls = {
  projections: "scores from",
  values: "values from",
  divisor: "scores are",
  d: "d",
  n_tokens: "tokens",
  spread: "spread of the lengths",
  seed: "draw",
} as const;

export const no_projections_many = {
  projections: {
    none: "x·x",
    same: "W_Q = W_K",
    q: "W_Q alone",
    qk: "W_Q and W_K",
  },
  values: {
    x: "x",
    w: "W_V",
  },
  divisor: {
    1: "not divided",
    sqrt: "÷ √d",
  },
} as const;

export const no_projections_plane_controls = {
  lengths: "lengths",
  angles: "angles",
  divisor: "divide the scores by",
  rounds: "rounds of attention",
} as const;

export const no_projections_roles_controls = {
  asks: "asking word",
  head: "trained head",
} as const;

export const no_projections_roles = {
  head: {
    who: "layer 4, head 2",
    how: "layer 3, head 2",
    before: "layer 1, head 3",
  },
} as const;

export const qk_weights_each_other_controls = {
  matrices: "for queries and keys",
  angle: "angle between the queries, °",
  length_it: "length of the query of “it”",
  length_cat: "length of the query of “cat”",
} as const;

export const qk_weights_each_other = {
  matrices: {
    one: "one matrix",
    two: "two matrices",
  },
} as const;

export const qk_weights_real_heads_controls = {
  blend: "from trained to symmetric",
  layer: "layer",
  head: "head",
  text: "sentence",
} as const;

export const qk_weights_real_heads = {
  text: {
    boy: "I am a boy.",
    root: "Why divide by the root?",
  },
} as const;

export const relative_positions_clocks_controls = {
  scheme: "query and key: W is W_Q, W_K",
  position: "both move: query at",
  distance: "key after it by",
  seed: "draw",
} as const;

export const relative_positions_clocks = {
  scheme: {
    added: "sinusoids, W",
    bare: "sinusoids alone",
    full: "words + sinusoids, W",
    rotary: "words, W, rotary",
  },
} as const;

export const relative_positions_distance_controls = {
  wish: "wished: most weight on",
  length: "trained length",
  beyond: "the clocks",
  held: "long queries are held down",
} as const;

export const relative_positions_distance = {
  wish: {
    fade: "near ones, levelling off",
    recent: "near ones, ever less",
    window: "the last eight",
  },
  beyond: {
    on: "go on turning",
    squeezed: "squeezed into the trained length",
  },
} as const;

export const softmax_saturation_gap_controls = {
  a: "a",
} as const;

export const softmax_saturation_saturation_controls = {
  logits: "logits",
  temperature: "temperature",
  offset: "add to every logit",
  upstream: "upstream gradient",
} as const;

export const softmax_saturation_saturation = {
  upstream: {
    largest: "raise the largest",
    second: "raise the runner-up",
    alternate: "up, down, up, …",
  },
} as const;

export const weight_tying_rows_controls = {
  lengths: "lengths",
  angles: "angles",
  rows: "length of the rows",
} as const;

export const weight_tying_rows = {
  rows: {
    own: "their own",
    one: "one for all",
  },
} as const;

export const weight_tying_traffic_controls = {
  tied: "tables",
  tokens: "tokens in the batch",
  exponent: "Zipf's exponent",
  seed: "draw",
} as const;

export const weight_tying_traffic = {
  tied: {
    untied: "two tables",
    tied: "one, tied",
  },
} as const;

export const why_sqrt_dk_sampling_controls = {
  d_k: "dₖ",
  distribution: "components are",
  n_pairs: "pairs (q, k)",
  seed: "draw",
} as const;

export const why_sqrt_dk_sampling = {
  distribution: {
    normal: "normal",
    uniform: "uniform",
    sign: "−1 or 1",
    bernoulli: "0 or 1, mean left in",
  },
} as const;

export const why_sqrt_dk_scale_controls = {
  d_k: "dₖ",
  n_keys: "keys",
  divisor: "divide the scores",
  rho: "correlation with q",
  related: "correlated keys",
  quantity: "over many draws, show",
  seed: "draw",
} as const;

export const why_sqrt_dk_scale = {
  divisor: {
    1: "not divided",
    sqrt: "÷ √dₖ",
    d_k: "÷ dₖ",
  },
  related: {
    one: "one key",
    all: "every key",
  },
  quantity: {
    largest_weight: "largest weight",
    entropy: "entropy of the weights (nats)",
    largest_entry: "largest entry of the Jacobian",
    gradient_q: "gradient at one query",
    gradient_w_q: "gradient at the query matrix: root mean square over 32 queries",
  },
} as const;

export const why_sqrt_dk_start_controls = {
  d_k: "Vector length dₖ",
  divisor: "divide the scores",
  n_keys: "number of keys",
  seed: "start",
} as const;

export const why_sqrt_dk_start = {
  divisor: {
    1: "not divided",
    sqrt: "÷ √dₖ",
  },
  n_keys: {
    8: "8 words",
    64: "64 keys",
    512: "512 keys",
  },
} as const;

export const why_sqrt_dk_trained_scores_controls = {
  text: "sentence",
  layer: "layer",
  head: "head",
  power: "divide by dₖ to the power",
} as const;

export const why_sqrt_dk_trained_scores = {
  text: {
    tired: "The animal didn't cross the street because it was too tired.",
    boy: "I am a boy.",
    root: "Why divide by the root?",
  },
} as const;

export const why_sqrt_dk_training_controls = {
  d_k: "dₖ",
  rate: "learning rate",
  quantity: "show",
} as const;

export const why_sqrt_dk_training = {
  quantity: {
    loss: "loss",
    gradient: "gradient at W_Q",
    entropy: "entropy of the rows",
  },
} as const;
