// `page.html?teacher`: the teacher's window beside the slides, with notes, the next moment, the clock and the votes.

import { html, nothing, render } from "lit-html";
import { t } from "../lab/words.ts";
import { asking } from "../classroom/ask.ts";
import { clock } from "./lesson.ts";
import { are_slides_there, ask_slides, greet_slides, hear_slides, HELLO } from "./talk.ts";
import type { Command, Standing, Undone } from "./talk.ts";
import { poll_buttons, poll_on_desk, room_on_desk } from "../classroom/poll.ts";
import { ballot, type Votes } from "../classroom/votes.ts";

export function teacher_window(): void {
  const root = document.createElement("main");
  root.className = "wf-desk";
  document.body.append(root);
  document.documentElement.classList.add("wf-teacher");
  let standing: Standing | undefined;
  hear_slides((now) => {
    standing = now;
    document.title = t("Notes: {title}", { title: now.title });
    paint();
  });
  const paint = () => render(standing ? desk(standing, Date.now()) : waiting(), root);
  setInterval(greet_slides, HELLO);
  setInterval(paint, 1000 / 2);
  document.addEventListener("keydown", (event) => pressed(event, standing));
  greet_slides();
  paint();
}

function pressed(event: KeyboardEvent, standing: Standing | undefined): void {
  if (!standing || event.ctrlKey || event.metaKey || event.altKey) return;
  const { key } = event;
  const target = event.target as Element;
  const clicker = key === "PageDown" || key === "PageUp"; // wherever the focus is
  const clicks = key === " " && target.closest("button, summary");
  if (!clicker && (target.matches("input") || clicks)) return;
  const to: Record<string, Command> = {
    ArrowRight: { do: "next" },
    PageDown: { do: "next" },
    " ": { do: event.shiftKey ? "back" : "next" },
    ArrowLeft: { do: "back" },
    PageUp: { do: "back" },
    Home: { do: "go", at: 0 },
    End: { do: "go", at: standing.lesson.moments.length - 1 },
    b: { do: "blank" },
    a: { do: "settle" },
  };
  const found = to[key.length === 1 ? key.toLowerCase() : key];
  if (!found) return;
  ask_slides(found);
  event.preventDefault();
}

/** Minutes and seconds of a time in milliseconds, with a sign if it is behind or ahead. */
export function minutes_and_seconds(milliseconds: number): string {
  const seconds = Math.floor(Math.abs(milliseconds) / 1000);
  return `${milliseconds < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

const waiting = () => html`<p>${t("Open this window from the slides, with N. It waits for them.")}</p>`;

/** Notes scroll between what stands still: the clock above them, and below them all that can be pressed. */
function desk(standing: Standing, now: number) {
  const { votes, poll } = standing;
  return html`
    <header>${time(standing, now)}</header>
    ${
      are_slides_there()
        ? nothing
        : html`<p role="alert">${t("The slides do not answer. If they are closed, open them anew: this window finds them. If it does not, press N there.")}</p>`
    }
    <div class="wf-moment">${votes && poll && !votes.hands ? poll_on_desk(votes, poll) : nothing}${notes(standing)}</div>
    <footer>${standing.poll ? room_on_desk(standing.poll) : nothing}${asked(standing.asks)}${undone(standing.undo)}${hands(standing)}${commands(standing)}</footer>`;
}

function time({ lesson, at, began }: Standing, now: number) {
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

function notes({ lesson, at, votes, poll, tell }: Standing) {
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

/** What the slides ask before they do it. */
function asked(words: string | undefined) {
  if (!words) return nothing;
  return html`<p role="alert">${words}
    <button type="button" @click=${() => ask_slides({ do: "yes" })}>${t("Yes")}</button>
    <button type="button" @click=${() => ask_slides({ do: "no" })}>${t("No")}</button></p>`;
}

const UNDONE: Record<Undone, () => string> = {
  forget: () => t("Votes and answers are forgotten, and the clock begins anew."),
  clear: () => t("Both votes are cleared."),
  step: () => t("The last press can be taken back:"),
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

function commands({ blank, settles, poll, next }: Standing) {
  const button = (label: string, act: () => void, pressed?: boolean) =>
    html`<button type="button" aria-pressed=${pressed === undefined ? nothing : String(pressed)} @click=${act}>${label}</button>`;
  return html`<p class="wf-press">${t("The clicker’s next press: {what}", { what: next })}</p><nav>
    ${button(t("Back"), () => ask_slides({ do: "back" }))}
    ${button(t("Next"), () => ask_slides({ do: "next" }))}
    ${settles ? button(settles === "shown" ? t("Back to the moment") : t("Show what is right"), () => ask_slides({ do: "settle" })) : nothing}
    ${poll ? button(t("Ask for a sentence"), () => ask_slides({ do: "ask" })) : nothing}
    ${button(t("Blank"), () => ask_slides({ do: "blank" }), blank)}
    ${asking(t("Forget all votes"), t("Forget all votes and answers of this room, and begin again?"), () => ask_slides({ do: "forget" }))}
  </nav>`;
}
