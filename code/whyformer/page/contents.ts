// On a phone the contents lie over the page: who chooses a section there wants to see it.
import { closest } from "./closest.ts";

addEventListener("click", (event) => closest(event, ".toc-entry > a")?.closest("dialog")?.close());

// A link to a fold opens it; where there are labs, answer.ts does so for all of them. What a fragment leads to is known
// once the page is loaded.
for (const event of ["load", "hashchange"])
  addEventListener(event, () => document.querySelector(":target > .wf-fold")?.setAttribute("open", ""));
