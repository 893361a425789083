// The formula of the first page: a part shows its question, and the divisor is struck out while the lab does not divide.
(() => {
  const front = document.querySelector(".wf-front");
  const show = (name) => {
    for (const each of front.querySelectorAll(".wf-formula [data-part], .wf-part-note"))
      each.classList.toggle("wf-shown", each.dataset.part === name);
    for (const each of front.querySelectorAll(".wf-formula [data-part]"))
      each.setAttribute("aria-pressed", String(each.dataset.part === name));
  };
  for (const part of front.querySelectorAll(".wf-formula [data-part]")) {
    part.setAttribute("role", "button");
    part.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // to another tab
      event.preventDefault();
      show(part.dataset.part);
    });
    part.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      show(part.dataset.part);
    });
  }
  front.classList.add("wf-alive");
  show("root"); // as the page has it
  const root = front.querySelector('.wf-formula [data-part="root"]');
  const strike = ({ target }) => {
    const is_struck = target.state?.divisor === "1";
    root.classList.toggle("wf-struck", is_struck);
    front.querySelector(".wf-not-divided").classList.toggle("wf-shown", is_struck);
  };
  front.addEventListener("whyformer:ready", strike);
  front.addEventListener("whyformer:change", strike);
  const lab = front.querySelector("whyformer-lab");
  if (lab?.hasAttribute("alive")) strike({ target: lab });
})();
