// Excerpts of search results as a reader would read them: without the second copy of each formula, checks and buttons.
(() => {
  const left_out =
    ".headerlink, script, style, .katex-html, .wf-check, whyformer-lab, whyformer-predict, whyformer-exercise, .prev-next-area";
  Search.htmlToText = (text, anchor) => {
    const page = new DOMParser().parseFromString(text, "text/html");
    page.querySelectorAll(".katex-display").forEach((formula) => formula.replaceWith("…"));
    for (const formula of page.querySelectorAll("annotation")) {
      formula
        .closest(".katex")
        ?.replaceWith(formula.textContent.replace(/\\(?:text|operatorname|mathbb)\b|[\\{}$]/g, ""));
    }
    page.querySelectorAll(left_out).forEach((element) => element.remove());
    const main = page.querySelector(".bd-article");
    const found = (anchor && main?.querySelector(anchor)) || main;
    const section = found?.closest("section") ?? found;
    return (section?.textContent ?? "").replace(/\s+/g, " ").trim() || " "; // of nothing Sphinx would make no node
  };
})();
