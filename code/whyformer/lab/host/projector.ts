// The projector mode. Everything else about looks stands in style sheets.

/** `page.html?projector` makes type and strokes larger; it lasts for the visit, `?projector=off` ends it. */
export function watch_projector(): void {
  const asked = new URLSearchParams(location.search).get("projector");
  let projector = asked !== null && asked !== "off";
  try {
    if (asked !== null) sessionStorage.setItem("whyformer:projector", asked === "off" ? "" : "on");
    projector = Boolean(sessionStorage.getItem("whyformer:projector"));
  } catch {
    // no storage in this browser: for this page alone
  }
  document.documentElement.classList.toggle("wf-projector", projector);
}
