// The search (panel.ts) is loaded when it is first opened: by the button, Ctrl+K, or "/" where nothing is typed.
import { closest } from "../page/closest.ts";
import type { Page } from "./find.ts";
import type * as Search from "./main.ts";

/** What the scripts that are loaded then leave. */
const loaded_there = self as unknown as { WhyformerSearch: typeof Search; WhyformerPages: Page[] };
const here = (document.currentScript as HTMLScriptElement).src;
const shelf = document.documentElement.dataset.content_root ?? "./";

const add = (made: HTMLElement): Promise<unknown> =>
  new Promise((done, failed) => {
    Object.assign(made, { onload: done, onerror: failed });
    document.head.append(made);
  });
const script = (src: string) => add(Object.assign(document.createElement("script"), { src }));
const sheet = (href: string) => add(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));

let loaded: Promise<unknown> | undefined;
const load = () =>
  (loaded ??= Promise.all([
    sheet(here.replace("search-button.js", "search.css")),
    script(here.replace("search-button.js", "search.js")),
    script(`${shelf}search-pages.js`),
  ]).catch((reason) => {
    loaded = undefined; // a network that was away may be back
    throw reason;
  }));

const open = () => load().then(() => loaded_there.WhyformerSearch.open(loaded_there.WhyformerPages, shelf));
addEventListener("click", (event) => closest(event, ".search-button__button") && open());
addEventListener("keydown", (event) => {
  const by_k = /^k$/i.test(event.key) && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
  const is_typed_in = closest(event, "input, textarea, select, [contenteditable]");
  const by_slash = event.key === "/" && !event.ctrlKey && !event.metaKey && !is_typed_in;
  if (!by_k && !by_slash) return;
  event.preventDefault();
  open();
});
const place = document.querySelector<HTMLElement>(".wf-search-here");
if (place) load().then(() => loaded_there.WhyformerSearch.show(place, loaded_there.WhyformerPages, shelf));
