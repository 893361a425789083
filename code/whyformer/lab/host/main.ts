// What hosts and tests use of the bundle. build.mjs registers the labs and then calls start().

import { WhyformerLab } from "./element.ts";
import { WhyformerExercise } from "../teach/exercise.ts";
import { WhyformerPredict } from "../teach/predict.ts";
import { follow_links } from "./journey.ts";
import { skip_far_sections } from "./sections.ts";
import { watch_projector } from "./projector.ts";

/** Define the elements, once: a notebook evaluates the bundle again for each widget. */
export function start(): void {
  if (customElements.get("whyformer-lab")) return;
  watch_projector();
  follow_links();
  skip_far_sections();
  customElements.define("whyformer-lab", WhyformerLab);
  customElements.define("whyformer-predict", WhyformerPredict);
  customElements.define("whyformer-exercise", WhyformerExercise);
}

export { anywidget } from "./jupyter.ts";
export { labs } from "../registry.ts";
export { holds } from "../step.ts";
export { judge } from "../teach/judge.ts";
export { use_catalogue } from "../words.ts";
export { bits } from "../../maths/random.ts";
