// On paper a page is light, whatever the screen is. Dark colours come from a script too, so none is needed without one.

const root = document.documentElement;
const paper = matchMedia("print");
let screen: string | undefined;

function on_paper(): void {
  if (root.dataset.theme === "light") return;
  screen = root.dataset.theme;
  root.dataset.theme = "light";
}

function on_screen(): void {
  if (screen) root.dataset.theme = screen;
  screen = undefined;
}

paper.addEventListener("change", () => (paper.matches ? on_paper() : on_screen()));
addEventListener("beforeprint", on_paper);
addEventListener("afterprint", on_screen);
