/* Part of Whyformer. What it contains of others: LICENSES.txt. */
(()=>{function n(e,t){return e.target instanceof Element?e.target.closest(t):null}addEventListener("click",e=>{let t=n(e,".wf-claimed");if(!t||n(e,"a")||!getSelection().isCollapsed)return;let c=t.closest(".wf-proven").querySelector(":scope > .wf-check");c.open=!c.open});})();
