// Sections far from the window are not laid out: a page is there sooner, and a drag costs half (book/static/book.css).
// Their heights are guessed until they were seen, so a jump over them would miss: before one, all are laid out.

export function skip_far_sections(): void {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  const show_all = () => article.classList.add("wf-whole");
  document.addEventListener(
    "click",
    ({ target }) => {
      if ((target as Element).closest('a[href*="#"]')) show_all();
    },
    { capture: true },
  );
  const jump = (behavior: ScrollBehavior) => {
    show_all();
    document.getElementById(decode(location.hash.slice(1)))?.scrollIntoView({ behavior });
  };
  // Now and then the browser does not jump by itself. On the way back, where to stand is its own business.
  window.addEventListener("hashchange", () => {
    if (history.state?.whyformer) return show_all();
    history.replaceState({ ...history.state, whyformer: "seen" }, "");
    jump("auto");
  });
  for (const event of ["pointerdown", "input"]) {
    article.addEventListener(event, ({ target }) => {
      if ((target as Element).closest("whyformer-lab")) article.classList.remove("wf-whole"); // real heights are kept
    });
  }
  if (location.hash) jump("instant");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
