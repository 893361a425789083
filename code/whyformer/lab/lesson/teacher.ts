// `page.html?teacher`: the teacher's window beside the slides, with notes, the next moment, the clock and the votes.

import { html, nothing, render } from "lit-html";
import { t } from "../words.ts";
import { asking } from "./ask.ts";
import { clock, type Lesson } from "./lesson.ts";
import { are_slides_there, ask_slides, greet_slides, hear_slides, HELLO, type Standing, type Undone } from "./talk.ts";
import { poll_buttons, poll_on_desk, room_on_desk } from "./poll.ts";
import { ballot, type Votes } from "./votes.ts";

export function teacher_window(lesson: Lesson): void {
  const root = document.createElement("main");
  root.className = "wf-desk";
  document.body.append(root);
  document.documentElement.classList.add("wf-teacher");
  document.title = t("Notes: {title}", { title: document.title });
  let standing: Standing | undefined;
  hear_slides((now) => {
    standing = now;
    paint();
  });
  const paint = () => render(standing ? desk(lesson, standing, Date.now()) : waiting(), root);
  setInterval(greet_slides, HELLO);
  setInterval(paint, 1000 / 2);
  document.addEventListener("keydown", (event) => pressed(event, lesson, standing));
  greet_slides();
  paint();
}

function pressed(event: KeyboardEvent, lesson: Lesson, standing: Standing | undefined): void {
  if (!standing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const target = event.target as Element;
  const clicker = key === "PageDown" || key === "PageUp"; // wherever the focus is
  const clicks = key === " " && target.closest("button, summary");
  if (!clicker && (target.matches("input") || clicks)) return;
  const { at } = standing;
  const to: Record<string, number> = {
    ArrowRight: at + 1, PageDown: at + 1, " ": at + 1, ArrowLeft: at - 1, PageUp: at - 1,
    Home: 0, End: lesson.moments.length - 1,
  }; // prettier-ignore
  if (key in to) ask_slides({ do: "go", at: to[key] });
  else if (key.toLowerCase() === "b") ask_slides({ do: "blank" });
  else return;
  event.preventDefault();
}

/** Minutes and seconds of a time in milliseconds, with a sign if it is behind or ahead. */
export function minutes_and_seconds(milliseconds: number): string {
  const seconds = Math.floor(Math.abs(milliseconds) / 1000);
  return `${milliseconds < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const waiting = () => html`<p>${t("Open this window from the slides, with N. It waits for them.")}</p>`;

/** Notes scroll between what stands still: the clock above them, and below them all that can be pressed. */
function desk(lesson: Lesson, standing: Standing, now: number) {
  const { votes, poll } = standing;
  return html`
    <header>${time(lesson, standing, now)}</header>
    ${
      are_slides_there()
        ? nothing
        : html`<p role="alert">${t("The slides do not answer. If they are closed, open them anew: this window finds them. If it does not, press N there.")}</p>`
    }
    <div class="wf-moment">${votes && poll && !votes.hands ? poll_on_desk(votes, poll) : nothing}${notes(lesson, standing)}</div>
    <footer>${standing.poll ? room_on_desk(standing.poll) : nothing}${undone(standing.undo)}${hands(standing)}${commands(standing)}</footer>`;
}

function time(lesson: Lesson, { at, began }: Standing, now: number) {
  const starts = clock(lesson);
  const left = starts[at + 1] * 60_000 - (now - began);
  return html`<p class="wf-clock"><b>${minutes_and_seconds(now - began)}</b> ${
    left < 0
      ? html`<span class="wf-late">${t("{time} behind the plan", { time: minutes_and_seconds(-left) })}</span>`
      : t("{time} left for this moment", { time: minutes_and_seconds(left) })
  } <button type="button" title=${t("Set the clock: this moment begins now")}
      @click=${() => ask_slides({ do: "here" })}>${t("We are here now")}</button></p>
    <p>${t("{at} of {count}, minutes {from} to {to} of {all}", {
      at: at + 1,
      count: lesson.moments.length,
      from: starts[at],
      to: starts[at + 1],
      all: lesson.minutes,
    })}</p>`;
}

function notes(lesson: Lesson, { at, votes, poll, tell }: Standing) {
  const moment = lesson.moments[at];
  const next = lesson.moments[at + 1];
  return html`<h1>${t(moment.do)}</h1>
    ${moment.expect ? html`<h2>${t("They will say")}</h2><p>${t(moment.expect)}</p>` : nothing}
    ${moment.ask ? html`<h2>${t("Ask next")}</h2><p>${t(moment.ask)}</p>` : nothing}
    ${tell ? html`<h2>${t("The lab tells")}</h2><p>${tell}</p>` : nothing}
    ${
      votes && !votes.answered && (!poll || votes.hands)
        ? html`<h2>${t("Votes")}</h2>
          <ol type="A">${votes.options.map((option) => html`<li>${t(option)}</li>`)}</ol>`
        : nothing
    }
    <h2>${t("Next")}</h2>
    <p>${next ? t("{minutes} min: {what}", { minutes: next.minutes, what: t(next.do) }) : t("The end.")}</p>`;
}

const UNDONE: Record<Undone, () => string> = {
  forget: () => t("Predictions and votes are forgotten, and the clock begins anew."),
  clear: () => t("Both votes are cleared."),
};

function undone(what: Undone | undefined) {
  if (!what) return nothing;
  return html`<p role="status">${UNDONE[what]()}
    <button type="button" @click=${() => ask_slides({ do: "undo" })}>${t("Undo")}</button></p>`;
}

function hands({ votes, poll }: Standing) {
  if (!votes || (votes.answered && !poll)) return nothing;
  const change = (changed: Votes) => ask_slides({ do: "votes", votes: changed });
  const settle = () => ask_slides({ do: "settle" });
  const timer = (seconds: number) => ask_slides({ do: "timer", seconds });
  if (poll && !votes.hands) return poll_buttons(votes, poll, { change, timer, ...(votes.answered ? {} : { settle }) });
  return html`${ballot(votes, false, change)}
    ${poll ? html`<button type="button" @click=${() => change({ ...votes, hands: false })}>${t("Count phones again")}</button>` : nothing}
    <button type="button" @click=${settle}>${t("Show what is right")}</button>`;
}

function commands({ at, blank, settles, poll }: Standing) {
  const button = (label: string, act: () => void, pressed?: boolean) =>
    html`<button type="button" aria-pressed=${pressed === undefined ? nothing : String(pressed)} @click=${act}>${label}</button>`;
  return html`<nav>
    ${button(t("Back"), () => ask_slides({ do: "go", at: at - 1 }))}
    ${button(t("Next"), () => ask_slides({ do: "go", at: at + 1 }))}
    ${settles ? button(settles === "shown" ? t("Back to the moment") : t("Show what is right"), () => ask_slides({ do: "settle" })) : nothing}
    ${poll ? button(t("Ask for a sentence"), () => ask_slides({ do: "ask" })) : nothing}
    ${button(t("Blank"), () => ask_slides({ do: "blank" }), blank)}
    ${asking(t("Forget all predictions"), t("Forget all predictions and votes, and begin again?"), () => ask_slides({ do: "forget" }))}
  </nav>`;
}
