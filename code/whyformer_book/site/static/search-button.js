// The search (search/panel.ts) is loaded when it is first opened: by the button, Ctrl+K, or "/" where nothing is typed.
(() => {
  const here = document.currentScript.src;
  const shelf = document.documentElement.dataset.content_root ?? "./";
  const add = (made) =>
    new Promise((done, failed) => {
      Object.assign(made, { onload: done, onerror: failed });
      document.head.append(made);
    });
  const script = (src) => add(Object.assign(document.createElement("script"), { src }));
  const sheet = (href) => add(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
  let loaded;
  const load = () =>
    (loaded ??= Promise.all([
      sheet(here.replace("search-button.js", "search.css")),
      script(here.replace("search-button.js", "search.js")),
      script(`${shelf}search-pages.js`),
    ]).catch((reason) => {
      loaded = undefined; // a network that was away may be back
      throw reason;
    }));
  const open = () => load().then(() => self.WhyformerSearch.open(self.WhyformerPages, shelf));
  const is_typed_in = (element) => element.closest?.("input, textarea, select, [contenteditable]");
  addEventListener("click", (event) => event.target.closest?.(".search-button__button") && open());
  addEventListener("keydown", (event) => {
    const by_k = /^k$/i.test(event.key) && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    const by_slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !is_typed_in(event.target);
    if (!by_k && !by_slash) return;
    event.preventDefault();
    open();
  });
  const place = document.querySelector(".wf-search-here");
  if (place) load().then(() => self.WhyformerSearch.show(place, self.WhyformerPages, shelf));
})();
