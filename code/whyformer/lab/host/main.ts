// What hosts and tests use of the bundle. build.mjs registers the labs and then calls start().

import { WhyformerLab } from "./element.ts";
import { WhyformerExercise } from "../teach/exercise.ts";
import { WhyformerPredict } from "../teach/predict.ts";
import { follow_links } from "./journey.ts";
import { skip_far_sections } from "./sections.ts";
import { watch_projector } from "./projector.ts";
import { has_opened, is_opening } from "./turns.ts";

/**
 * Define the elements, once: a notebook evaluates the bundle again for each widget. While a page with labs opens each
 * kind has a task of its own, so that the page answers in between; predictions first, for they cover labs and the short
 * answer. Where none wait, all are there at once for whoever makes them.
 */
export function start(): void {
  if (customElements.get("whyformer-predict")) return;
  watch_projector();
  follow_links();
  skip_far_sections();
  customElements.define("whyformer-predict", WhyformerPredict);
  const others = [
    () => customElements.define("whyformer-lab", WhyformerLab),
    has_opened,
    () => customElements.define("whyformer-exercise", WhyformerExercise),
  ];
  const is_page = is_opening() && document.querySelector("whyformer-lab, whyformer-exercise") !== null;
  for (const act of others) {
    if (is_page) setTimeout(act);
    else act();
  }
}

export { anywidget } from "./jupyter.ts";
export { labs } from "../registry.ts";
export { holds } from "../step.ts";
export { judge } from "../teach/judge.ts";
export { use_catalogue } from "../words.ts";
export { bits } from "../../maths/random.ts";
