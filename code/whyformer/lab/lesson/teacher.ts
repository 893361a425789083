// `page.html?teacher`: the teacher's window beside the slides, with notes, the next moment, the clock and the votes.

import { html, nothing, render } from "lit-html";
import { t } from "../words.ts";
import { clock, type Lesson } from "./lesson.ts";
import { ask_slides, hear_slides, type Standing } from "./talk.ts";
import { ballot } from "./votes.ts";

const HELLO = 2000; // milliseconds: the slides may be loaded anew, and then do not know of this window

export function teacher_window(lesson: Lesson): void {
  const root = document.createElement("main");
  root.className = "wf-desk";
  document.body.append(root);
  document.documentElement.classList.add("wf-teacher");
  document.title = t("Notes: {title}", { title: document.title });
  let standing: Standing | undefined;
  let heard = 0;
  hear_slides((now) => {
    standing = now;
    heard = Date.now();
    paint();
  });
  const paint = () => render(notes(lesson, standing, Date.now(), heard), root);
  const hello = () => {
    ask_slides({ do: "hello" });
    paint();
  };
  setInterval(hello, HELLO);
  setInterval(paint, 1000 / 2);
  document.addEventListener("keydown", (event) => pressed(event, lesson, standing));
  hello();
}

function pressed(event: KeyboardEvent, lesson: Lesson, standing: Standing | undefined): void {
  if (!standing || (event.target as Element).closest("input, button") || event.ctrlKey || event.metaKey) return;
  const { at } = standing;
  const to: Record<string, number> = {
    ArrowRight: at + 1, PageDown: at + 1, " ": at + 1, ArrowLeft: at - 1, PageUp: at - 1,
    Home: 0, End: lesson.moments.length - 1,
  }; // prettier-ignore
  if (event.key in to) ask_slides({ do: "go", at: to[event.key] });
  else if (event.key.toLowerCase() === "b") ask_slides({ do: "blank" });
  else return;
  event.preventDefault();
}

/** Minutes and seconds of a time in milliseconds, with a sign if it is behind or ahead. */
export function minutes_and_seconds(milliseconds: number): string {
  const seconds = Math.floor(Math.abs(milliseconds) / 1000);
  return `${milliseconds < 0 ? "−" : ""}${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

function notes(lesson: Lesson, standing: Standing | undefined, now: number, heard: number) {
  if (!standing) return html`<p>${t("Open this window from the slides, with N. It waits for them.")}</p>`;
  const moment = lesson.moments[standing.at];
  const next = lesson.moments[standing.at + 1];
  const starts = clock(lesson);
  const elapsed = standing.began === undefined ? undefined : now - standing.began;
  const end = starts[standing.at + 1] * 60_000;
  const { votes } = standing;
  return html`
    <header>
      <p class="wf-clock">${
        elapsed === undefined
          ? html`<button type="button" @click=${() => ask_slides({ do: "begin" })}>${t("Start the clock")}</button>`
          : html`<b>${minutes_and_seconds(elapsed)}</b> ${
              elapsed > end
                ? html`<span class="wf-late">${t("{time} behind the plan", { time: minutes_and_seconds(elapsed - end) })}</span>`
                : t("{time} left for this moment", { time: minutes_and_seconds(end - elapsed) })
            }`
      }</p>
      <p>${t("{at} of {count}, minutes {from} to {to} of {all}", {
        at: standing.at + 1,
        count: lesson.moments.length,
        from: starts[standing.at],
        to: starts[standing.at + 1],
        all: lesson.minutes,
      })}</p>
    </header>
    ${now - heard > 3 * HELLO ? html`<p role="alert">${t("The slides do not answer. Are they still open?")}</p>` : nothing}
    <h1>${t(moment.do)}</h1>
    ${moment.expect ? html`<h2>${t("They will say")}</h2><p>${t(moment.expect)}</p>` : nothing}
    ${moment.ask ? html`<h2>${t("Ask next")}</h2><p>${t(moment.ask)}</p>` : nothing}
    ${
      votes && !votes.answered
        ? html`<h2>${t("Votes")}</h2>
          <ol type="A">${votes.options.map((option) => html`<li>${t(option)}</li>`)}</ol>
          ${ballot(votes, false, (changed) => ask_slides({ do: "votes", votes: changed }))}
          <p><button type="button" @click=${() => ask_slides({ do: "settle" })}>${t("Show what is right")}</button></p>`
        : nothing
    }
    <h2>${t("Next")}</h2>
    <p>${next ? t("{minutes} min: {what}", { minutes: next.minutes, what: t(next.do) }) : t("The end.")}</p>
    ${
      standing.settles
        ? html`<p><button type="button" @click=${() => ask_slides({ do: "settle" })}>${
            standing.settles === "shown" ? t("Back to the moment") : t("Show what is right")
          }</button></p>`
        : nothing
    }
    <nav>
      <button type="button" @click=${() => ask_slides({ do: "go", at: standing.at - 1 })}>${t("Back")}</button>
      <button type="button" @click=${() => ask_slides({ do: "go", at: standing.at + 1 })}>${t("Next")}</button>
      <button type="button" aria-pressed=${String(standing.blank)} @click=${() => ask_slides({ do: "blank" })}>${t("Blank")}</button>
      <button type="button" @click=${() => ask_slides({ do: "forget" })}>${t("Forget all predictions")}</button>
    </nav>`;
}
