// A link in the text moves a lab. Where the lab is out of sight the reader is taken there, and can come back: by a button
// in the lab's head, or as always in the browser.

import { parse } from "./address.ts";
import type { WhyformerLab } from "./element.ts";
import { mark } from "./highlight.ts";
import { unfold } from "./unfold.ts";

/** A link that was followed, and how far from the top of the window it stood. */
interface Place {
  link: HTMLElement;
  top: number;
}

/** In the order of their departures; an entry of the browser's history knows its place by number. */
const places: Place[] = [];
let returning = false;
let settled = 0;

/** After a step in the history the event for its fragment comes within so many milliseconds, or not at all. */
const SETTLES = 200;

/** How long a browser takes to scroll through a long page, in milliseconds. */
const LONGEST = 2000;

/** Whether the browser is on its way back or forward: then where to stand is not a lab's business. */
export function is_returning(): boolean {
  return returning;
}

export function follow_links(): void {
  document.addEventListener("click", (event) => {
    const link = (event.target as Element).closest<HTMLElement>("a[href]");
    const plain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (link && plain && !event.defaultPrevented && depart(link)) event.preventDefault();
  });
  window.addEventListener("popstate", ({ state }) => {
    returning = Boolean(state?.whyformer);
    clearTimeout(settled);
    settled = window.setTimeout(() => (returning = false), SETTLES);
    if (places[state?.place]) requestAnimationFrame(() => come_back(places[state.place]));
  });
}

/** Moves the lab of a link, if it is on this page, and goes there if it is out of sight. */
function depart(link: HTMLElement): boolean {
  const url = new URL(link.getAttribute("href")!, document.baseURI);
  const asked = url.href.split("#")[0] === location.href.split("#")[0] ? parse(url.hash) : undefined;
  const labs = [...document.querySelectorAll<WhyformerLab>("whyformer-lab")];
  const lab = asked && labs.find((one) => one.host === "page" && one.is_meant(asked.lab));
  if (!asked || !lab) return false;
  const place = { link, top: link.getBoundingClientRect().top };
  unfold(lab);
  const travels = !is_in_sight(lab);
  const show_what_moved = lab.follow(asked);
  if (!travels) {
    show_what_moved();
    if (url.hash !== location.hash) history.pushState({ whyformer: "seen" }, "", url.hash);
    return true;
  }
  const number = places.push(place) - 1;
  history.replaceState({ ...history.state, whyformer: "seen", place: number }, "");
  history.pushState({ whyformer: "seen", from: number }, "", url.hash);
  for (const other of labs) other.offer_way_back(undefined);
  lab.offer_way_back(() => {
    // An address that was copied, or a heading that was looked up since, has taken the entry's place in the history.
    if (history.state?.from === number) history.back();
    else come_back(place);
  });
  lab.scrollIntoView({ block: "start", behavior: is_calm() ? "instant" : "smooth" });
  on_arrival(show_what_moved);
  return true;
}

/** Once the window stands still; where browsers do not say so, after the time that a long way takes. */
function on_arrival(act: () => void): void {
  const arrived = () => {
    clearTimeout(late);
    window.removeEventListener("scrollend", arrived);
    act();
  };
  const late = window.setTimeout(arrived, is_calm() ? 0 : LONGEST);
  window.addEventListener("scrollend", arrived);
}

/** The window and the focus are again where they were when the link was followed. */
function come_back({ link, top }: Place): void {
  for (const lab of document.querySelectorAll<WhyformerLab>("whyformer-lab")) lab.offer_way_back(undefined);
  window.scrollBy({ top: link.getBoundingClientRect().top - top, behavior: "instant" });
  link.focus({ preventScroll: true });
  mark([link]);
}

/** Three quarters of what could be seen of the lab are seen. */
function is_in_sight(lab: Element): boolean {
  const { top, bottom, height } = lab.getBoundingClientRect();
  const seen = Math.min(bottom, innerHeight) - Math.max(top, 0);
  return seen >= 0.75 * Math.min(height, innerHeight);
}

function is_calm(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
