// The traffic lab. Twin of traffic_lab.py: same series, same names, same order; the picture stands here alone.

import type { States } from "../../lab/declared.ts";
import { bars, controls, plot, row, table, texts } from "../../lab/picture/make.ts";
import type { Axis, Block, Mark, Plot } from "../../lab/picture/picture.ts";
import { t } from "../../lab/words.ts";
import { normals, stream, uniform } from "../../maths/random.ts";
import { softmax } from "../../maths/softmax.ts";
import { length, mean } from "../../maths/sums.ts";

const [V, D, LEAST] = [64, 16, 1e-12];
const RANKS = Array.from({ length: V }, (_, i) => i + 1);

export type State = States["weight_tying/traffic"];

export type Series = ReturnType<typeof compute>;

/** One word more than `tokens`, from 0, by Zipf's law. */
function batch(tokens: number, exponent: number, seed: number): number[] {
  let sum = 0;
  const bounds = RANKS.map((rank) => (sum += rank ** -exponent)).map((bound, _, all) => bound / all[V - 1]);
  const key = stream(seed, 2);
  return Array.from({ length: tokens + 1 }, (_, i) => {
    const place = uniform(key, i);
    return Math.min(bounds.filter((bound) => place > bound).length, V - 1);
  });
}

const drawn_table = (seed: number, index: number) =>
  normals(stream(seed, index), V * D).map((value) => value / Math.sqrt(D));

/** Length of each row of 16. */
const lengths = (rows: Float64Array) => Float64Array.from(RANKS, (_, i) => length(rows.subarray(i * D, (i + 1) * D)));

const count = (values: ArrayLike<number>, counts: (value: number, i: number) => boolean) =>
  Array.from(values).filter(counts).length;

export function compute({ tied, tokens, exponent, seed }: State) {
  const output = drawn_table(seed, 0);
  const read = tied === "tied" ? output : drawn_table(seed, 1);
  const words = batch(tokens, exponent, seed);
  const pairs = new Float64Array(V * V);
  const [reads, answers] = [new Float64Array(V), new Float64Array(V)];
  for (let i = 0; i < tokens; i++) {
    pairs[words[i] * V + words[i + 1]]++;
    reads[words[i]]++;
    answers[words[i + 1]]++;
  }
  const [as_input, as_output] = [new Float64Array(V * D), new Float64Array(V * D)];
  const [state, logits] = [new Float64Array(D), new Float64Array(V)];
  for (let w = 0; w < V; w++) {
    if (!reads[w]) continue;
    for (let c = 0; c < D; c++) state[c] = Math.sqrt(D) * read[w * D + ((c + D - 1) % D)]; // the components, shifted round
    for (let v = 0; v < V; v++) {
      logits[v] = 0;
      for (let c = 0; c < D; c++) logits[v] += state[c] * output[v * D + c];
    }
    const y = softmax(logits);
    for (let v = 0; v < V; v++) {
      const at_logit = (reads[w] * y[v] - pairs[w * V + v]) / tokens;
      for (let c = 0; c < D; c++) {
        as_output[v * D + c] += at_logit * state[c];
        as_input[w * D + ((c + D - 1) % D)] += Math.sqrt(D) * at_logit * output[v * D + c];
      }
    }
  }
  const [from_input, from_output] = [lengths(as_input), lengths(as_output)];
  const both = lengths(as_input.map((value, i) => value + as_output[i]));
  const absent = (i: number) => !reads[i] && !answers[i];
  const n_absent = count(RANKS, (_, i) => absent(i));
  const longer = (i: number) => from_output[i] > from_input[i];
  const of_output = Array.from(from_output);
  return {
    reads,
    answers,
    from_input,
    from_output,
    both,
    rows_in: count(from_input, (length) => length > LEAST),
    rows_out: count(from_output, (length) => length > LEAST),
    rows_both: count(both, (length) => length > LEAST),
    absent: n_absent,
    small: n_absent ? mean(of_output.filter((_, i) => absent(i))) : 0,
    large: mean(of_output.filter((_, i) => answers[i] > 0)),
    output_longer: count(RANKS, (_, i) => longer(i)),
    read_output_longer: count(RANKS, (_, i) => longer(i) && reads[i] > 0),
    numbers: (tied === "tied" ? 1 : 2) * V * D,
  };
}

// ---- the picture

export function view(state: State, series: Series): Block[] {
  const { tied } = state;
  const { from_input, from_output, both, rows_in, rows_out, rows_both } = series;
  const one = tied === "tied";
  const input = one
    ? t("as input: gradients at {rows_in} of 64 rows", { rows_in })
    : t("input table: gradients at {rows_in} of 64 rows", { rows_in });
  const output = one
    ? t("as output: gradients at {rows_out} of 64 rows", { rows_out })
    : t("output table: gradients at {rows_out} of 64 rows", { rows_out });
  const sum = t("the one table: gradients at {rows_both} of 64 rows", { rows_both });
  return [
    controls("tied"),
    controls("tokens", "exponent", "seed"),
    ...(one ? [row(rows("both", sum, both, series))] : []),
    row(rows("input", input, from_input, series)),
    row(rows("output", output, from_output, series)),
    facts(state, series),
  ];
}

/** The length of the gradient at each row, by rank: words of the batch in the colour of gradients, the others in grey. */
function rows(name: string, title: string, lengths: Float64Array, { reads, answers }: Series): Plot {
  const [here, absent] = [true, false].map((occurs) => RANKS.filter((_, i) => reads[i] + answers[i] > 0 === occurs));
  const at = (ranks: number[]) => ranks.map((rank) => lengths[rank - 1]);
  const marks: Mark[] = [
    bars("in the batch", "gradient", at(here), { x: here, width: 0.7 }),
    texts("in words", "gradient", ["left"], ["top"], [t("in the batch")]),
  ];
  if (absent.length)
    marks.push(
      bars("not in the batch", "soft", at(absent), { x: absent, width: 0.7 }),
      texts("not in words", "soft", ["right"], ["top"], [t("not in the batch")]),
    );
  const x: Axis = { domain: [0.5, V + 0.5], ticks: [1, 8, 16, 24, 32, 40, 48, 56, 64], label: t("rank of the word") };
  const y: Axis = { scale: "sqrt", domain: [0, 3], ticks: [0, 0.1, 0.5, 1, 2, 3] };
  return plot(name, title, 8, x, y, marks, { colour: "gradient", least: 21 });
}

function facts({ tokens }: State, series: Series): Block {
  return table("facts", [
    [t("numbers in the tables"), t("{numbers:,.0f}", { ...series })],
    [t("words that do not occur in {tokens} tokens", { tokens }), t("{absent:.0f} of 64", { ...series })],
    [
      t("mean length as output"),
      series.absent
        ? t("right answers {large:.3f}, words that do not occur {small:.3f}", { ...series })
        : t("right answers {large:.3f}", { ...series }),
    ],
    [
      t("rows with more from the output than from the input"),
      t("{output_longer:.0f} of 64; of those that are read {read_output_longer:.0f} of {rows_in:.0f}", { ...series }),
    ],
  ]);
}
