/* Part of Whyformer. What it contains of others: LICENSES.txt. */
(()=>{var e=document.documentElement,n=matchMedia("print"),t;function d(){e.dataset.theme!=="light"&&(t=e.dataset.theme,e.dataset.theme="light")}function i(){t&&(e.dataset.theme=t),t=void 0}n.addEventListener("change",()=>n.matches?d():i());addEventListener("beforeprint",d);addEventListener("afterprint",i);})();
