// The key to the colours of a signed heat map with roots.

import type { Colour, Plot } from "./picture.ts";
import { number, t } from "../words.ts";

/** From -limit to limit, with ticks where the square root puts them. */
export function heat_key(limit: number, colour: Colour, negative: Colour): Plot {
  const shares = Array.from({ length: 65 }, (_, i) => i / 32 - 1);
  const tick = (at: number) => ({ at, text: number(Math.sign(at) * at * at * limit, ".2g") });
  return {
    kind: "plot",
    name: "key",
    title: undefined,
    height: 0.8,
    most: 24,
    x: {
      domain: [-1, 1],
      ticks: [-1, -0.25, 0, 0.25, 1].map(tick),
      label: t("colour of an entry, the same range always"),
    },
    y: { domain: [0, 1] },
    marks: [
      {
        mark: "heat",
        name: "key",
        columns: 65,
        values: shares.map((u) => Math.sign(u) * u * u * limit),
        limit,
        root: true,
        colour,
        negative,
      },
    ],
  };
}
