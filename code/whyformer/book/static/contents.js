// On a phone the contents lie over the page: who chooses a section there wants to see it.
addEventListener("click", (event) => event.target.closest?.(".toc-entry > a")?.closest("dialog")?.close());

// A link to a fold opens it; where there are labs, answer.ts does so for all of them.
(() => {
  const open_target = () => document.querySelector(":target > .wf-fold")?.setAttribute("open", "");
  addEventListener("hashchange", open_target);
  open_target();
})();
