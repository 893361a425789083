/* Part of Whyformer. What it contains of others: LICENSES.txt. */
(()=>{function e(t,n){return t.target instanceof Element?t.target.closest(n):null}addEventListener("click",t=>e(t,".toc-entry > a")?.closest("dialog")?.close());for(let t of["load","hashchange"])addEventListener(t,()=>document.querySelector(":target > .wf-fold")?.setAttribute("open",""));})();
