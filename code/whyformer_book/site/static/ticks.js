// A sentence with a mark opens its tick when it is touched; a link in it still is a link.
addEventListener("click", (event) => {
  const sentence = event.target.closest?.(".wf-claimed");
  if (!sentence || event.target.closest("a") || !getSelection().isCollapsed) return;
  const check = sentence.closest(".wf-proven").querySelector(":scope > .wf-check");
  check.open = !check.open;
});
