// Large type for a room, and where the slides of a lesson are fetched. The rest about looks stands in style sheets.

import { enlarge_labels } from "../picture/lettering.ts";

/** Where this script came from, while it is being run; a notebook has it as a module, and no slides. */
const here = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";

/**
 * `page.html?projector` makes type and strokes larger; it lasts for the visit, `?projector=off` ends it. `?teach` does
 * too and shows the page's lesson as slides, `?teacher` is the teacher's window beside them.
 */
export function watch_projector(): void {
  const query = new URLSearchParams(location.search);
  const asked = query.get("projector");
  let projector = asked !== null && asked !== "off";
  try {
    if (asked !== null) sessionStorage.setItem("whyformer:projector", asked === "off" ? "" : "on");
    projector = Boolean(sessionStorage.getItem("whyformer:projector"));
  } catch {
    // no storage in this browser: for this page alone
  }
  const teaching = query.has("teach");
  document.documentElement.classList.toggle("wf-projector", projector || teaching);
  if (projector || teaching) enlarge_labels();
  if (here && (teaching || query.has("teacher"))) fetch_lesson();
}

/** Few readers teach, so their script and its looks do not come with every page. */
function fetch_lesson(): void {
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = here.replace("labs.js", "lesson.css");
  const script = document.createElement("script");
  script.src = here.replace("labs.js", "lesson.js");
  const begin = () => window.WhyformerLesson!.begin();
  script.addEventListener("load", () => {
    if (document.readyState === "complete") begin();
    else window.addEventListener("load", begin, { once: true });
  });
  document.head.append(sheet, script);
}

declare global {
  interface Window {
    WhyformerLesson?: { begin(): void };
  }
}
