// What the reader has answered so far, on the map of the first page. It is kept in this browser alone.
(() => {
  const t = (text, gaps = {}) =>
    (globalThis.WhyformerWords?.[text] || text).replace(/\{(\w+)\}/g, (_, name) => gaps[name]);
  const KEY = "whyformer:predict:";
  const map = document.querySelector(".wf-map");
  const progress = map?.querySelector(".wf-map-progress");
  if (!progress) return;
  const stored = () => {
    try {
      return Object.keys(localStorage).filter((key) => key.startsWith(KEY));
    } catch {
      return []; // a browser that keeps nothing
    }
  };
  const show = () => {
    const answered = new Set(
      stored()
        .filter((key) => Number(localStorage.getItem(key)) >= 0)
        .map((key) => key.slice(KEY.length).split("/")[0]),
    );
    let count = 0;
    const links = [...map.querySelectorAll("a[data-question]")];
    for (const link of links) {
      const is_answered = answered.has(link.dataset.question);
      count += is_answered;
      link.nextElementSibling.textContent = is_answered ? ` ✓ ${t("predicted")}` : "";
    }
    progress.textContent = count
      ? `${t("You have made a prediction for {count} of {all} questions.", { count, all: links.length })} `
      : "";
    if (!count) return;
    const forget = document.createElement("a");
    forget.href = new URL("practice.html#forget", links[0].href).href;
    forget.textContent = t("Forget my progress");
    progress.append(forget);
  };
  show();
  addEventListener("pageshow", ({ persisted }) => persisted && show()); // back from the browser's memory
})();
