// On a phone the contents lie over the page: who chooses a section there wants to see it.
addEventListener("click", (event) => event.target.closest?.(".toc-entry > a")?.closest("dialog")?.close());
