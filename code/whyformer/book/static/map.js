// What the reader has answered so far, on the map of the first page. It is kept in this browser alone.
(() => {
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
    for (const item of map.querySelectorAll("li")) {
      const is_answered = answered.has(item.querySelector("a").dataset.room);
      count += is_answered;
      item.querySelector(".wf-answered").textContent = is_answered ? " ✓ predicted" : "";
    }
    for (const pin of map.querySelectorAll(".wf-pin")) pin.classList.toggle("wf-done", answered.has(pin.dataset.room));
    progress.textContent = `You have made a prediction for ${count} of ${map.querySelectorAll("li").length} questions. `;
    if (!stored().length) return;
    const forget = document.createElement("button");
    forget.type = "button";
    forget.textContent = "Forget them";
    forget.addEventListener("click", () => {
      for (const key of stored()) localStorage.removeItem(key);
      show();
    });
    progress.append(forget);
  };
  show();
  addEventListener("pageshow", ({ persisted }) => persisted && show()); // back from the browser's memory
})();
