// What hosts and tests use of the bundle. build.mjs registers the labs and then calls start().

import { WhyformerLab } from "./element.ts";
import { WhyformerExercise } from "../teach/exercise.ts";
import { WhyformerPredict } from "../teach/predict.ts";
import { watch_answer } from "../teach/answer.ts";
import { follow_links } from "./journey.ts";
import { watch_folds } from "./left.ts";
import { land_on_headings } from "./sections.ts";
import { watch_projector } from "./projector.ts";
import { soon } from "./soon.ts";
import { has_opened } from "./lazy_start.ts";

/**
 * Define the elements, once: a notebook evaluates the bundle again for each widget. Predictions come first: they stand
 * above their labs. A page that has exercises already answers before it goes on with them.
 */
export function start(): void {
  if (customElements.get("whyformer-predict")) return;
  watch_projector();
  follow_links();
  land_on_headings();
  watch_folds();
  watch_answer();
  customElements.define("whyformer-predict", WhyformerPredict);
  customElements.define("whyformer-lab", WhyformerLab);
  has_opened();
  const exercises = () => customElements.define("whyformer-exercise", WhyformerExercise);
  if (document.querySelector("whyformer-exercise")) soon(exercises);
  else exercises();
}

export { anywidget } from "./jupyter.ts";
export { holds } from "../conditions.ts";
export { labs } from "../registry.ts";
export { judge } from "../teach/judge.ts";
export { use_catalogue } from "../words.ts";
export { bits } from "../../maths/random.ts";
