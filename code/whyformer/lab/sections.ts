// Sections far from the window are skipped while a reader moves a lab: a drag then costs half (book/static/book.css).

/** Not before, and not with sizes of another width: a jump to a heading would miss it by the error in what lies between. */
export function skip_far_sections(): void {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  const begin = ({ target }: Event) => {
    if ((target as Element).closest("whyformer-lab")) article.classList.add("wf-moving");
  };
  for (const event of ["pointerdown", "input"]) article.addEventListener(event, begin);
  let width = article.clientWidth;
  new ResizeObserver(() => {
    if (article.clientWidth !== width) article.classList.remove("wf-moving");
    width = article.clientWidth;
  }).observe(article);
}
