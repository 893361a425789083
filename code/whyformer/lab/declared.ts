// The state of each lab. Written by `make bundle` (lab/declared.py) from what Python declares.

export interface States {
  "advantages/layers": {
    n: number;
    d: number;
    kernel: number;
    window: number;
    count: "table" | "simple" | "lstm";
  };
  "advantages/path": {
    scale: number;
    unit: "loud" | "quiet" | "none";
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
  "dropout_sites/sites": {
    embedding: "no" | "yes";
    projections: "no" | "yes";
    attention: "no" | "yes";
    attention_out: "no" | "yes";
    stream: "no" | "yes";
    hidden: "no" | "yes";
    feed_out: "no" | "yes";
    source: "hidden" | "paper" | "first" | "later" | "bert" | "torch" | "olmo" | "taught";
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
  "framework/token": {
    first: "dog" | "bites" | "man" | "cat" | "sees" | "the";
    second: "dog" | "bites" | "man" | "cat" | "sees" | "the";
    third: "dog" | "bites" | "man" | "cat" | "sees" | "the";
    token: number;
    divisor: "sqrt" | "1";
    w_q: number;
    seed: number;
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
    quantity: "matrix" | "stream";
    seed: number;
  };
  "multi_head/removed_head": {
    layer: number;
    head: number;
    quantity: "entropy" | "first" | "largest" | "distance" | "value";
    cells: "maps" | "lost";
  };
  "multi_head/two_places": {
    heads: "one" | "half" | "two";
    asked: "whole" | "parts";
    first: number[];
    second: number[];
    left: number;
    right: number;
    seed: number;
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
  "qk_weights/real_heads": {
    blend: number;
    layer: number;
    head: number;
    text: "boy" | "root";
  };
  "qk_weights/two_questions": {
    text: "boy" | "dogs" | "gave";
    mix: number;
    first: number;
    second: number;
    d_k: number;
    form: "drawn" | "turned" | "identity";
    seed: number;
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
  "weight_tying/plane": {
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
