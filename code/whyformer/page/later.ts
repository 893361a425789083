// Scripts of the theme and of Sphinx come once the page is there (whyformer_book/site/first_paint.py): neither text nor
// labs wait for them. `wf-settled` on the root says that all of them have run.

addEventListener("load", () => {
  const root = document.documentElement;
  const waiting = [...document.querySelectorAll('script[type="text/x-later"]')];
  let left = waiting.length;
  if (!left) root.classList.add("wf-settled");
  for (const script of waiting) {
    const now = document.createElement("script");
    now.async = false; // one after another, as they stand
    for (const { name, value } of script.attributes) if (name !== "type") now.setAttribute(name, value);
    now.onload = now.onerror = () => --left || root.classList.add("wf-settled");
    script.replaceWith(now);
  }
});
