// Votes of phones, as the class sees them on the projector and the teacher in the window beside the slides.

import { html, nothing, type TemplateResult } from "lit-html";
import { t } from "../lab/words.ts";
import { asking } from "./ask.ts";
import { numbers_table } from "./numbers.ts";
import { LETTERS, next_phase, phase_button, tally, taking, type Votes } from "./votes.ts";

/** What the slides and the teacher's window show of the room. */
export interface Poll {
  lost: boolean;
  fault: string;
  here: number;
  /** When the timer ends, in milliseconds of the clock; 0: there is none. */
  ends: number;
  tickets: string[];
  /** Numbers that phones have answered, where one is asked for. */
  numbers: number[] | undefined;
  /** The address at which phones come in, and all that the laptop has. */
  door: string;
  doors: string[];
  code: string;
}

const total = (counts: number[]) => counts.reduce((sum, n) => sum + n, 0);

/** How many have voted in the vote that is taken, or was last. */
const voted = (votes: Votes) => total(["again", "both"].includes(votes.phase) ? votes.second : votes.first);

/** 1:05, or nothing where no timer runs. */
export function timer(ends: number): string {
  const seconds = Math.max(0, Math.ceil((ends - Date.now()) / 1000));
  return ends ? `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}` : "";
}

/** Where phones come in: a code to scan, and what to type. */
export function door({ door, doors, code, here }: Poll, choose?: (door: string) => void): TemplateResult {
  const address = html`<p>${door.replace(/^http:\/\//, "")}room</p><p>${t("Code")} <b>${code}</b></p>`;
  const picture = html`<img src=${`/teach/door.svg?at=${encodeURIComponent(door)}`} alt=${t("QR code: {address}", { address: `${door}room#${code}` })} />`;
  if (!choose) return html`<div class="wf-door">${picture}${address}</div>`;
  const others = doors.filter((one) => one !== door);
  return html`<div class="wf-door wf-large">${picture}<div>${address}
    <p>${t("{here} {here:phone|phones} here", { here })}</p>
    ${others.length ? html`<p class="wf-others">${t("In another network:")} ${others.map((one) => html`<button type="button" @click=${() => choose(one)}>${one}</button>`)}</p>` : nothing}</div></div>`;
}

/** On the projector: how many have voted and the time that is left; and the bars once they are shown. */
export function poll_on_screen(votes: Votes, poll: Poll, change: (votes: Votes) => void): TemplateResult {
  const words: Record<Votes["phase"], () => string> = {
    open: () => t("Vote alone, and in silence."),
    talk: () => t("The vote is closed. Find someone who chose another answer, and convince each other."),
    seen: () => t("The first vote. Now find someone who chose another answer."),
    again: () => t("Vote once more."),
    both: () => t("Before talking, and after."),
  };
  return html`<div class="wf-poll">${tally(votes) ?? html`<p>${words[votes.phase]()}</p>`}
    ${taking(votes) ? html`<p class="wf-voted" role="status"><b>${voted(votes)}</b> ${t("of {here} have voted", { here: poll.here })}</p>` : nothing}
    ${poll.ends ? html`<p class="wf-timer">${timer(poll.ends)}</p>` : nothing}
    ${poll.fault || poll.lost ? html`<p role="alert">${t("The room cannot take votes at the moment. Show your hands.")}</p>` : nothing}
    ${votes.phase === "both" ? nothing : html`<button type="button" data-act="phase" @click=${() => change(next_phase(votes, true))}>${phase_button(votes, true)}</button>`}
    ${taking(votes) === "first" ? door(poll) : nothing}</div>`;
}

const FEW = 0.3;
const MANY = 0.7;

/** What a teacher may do next, by the share of right answers. */
export function advice(votes: Votes, right: number): string {
  const counts = total(votes.second) && votes.phase !== "open" ? votes.second : votes.first;
  const share = counts[right] / total(counts);
  if (!(share >= 0) || right < 0) return "";
  if (share < FEW) return t("Fewer than 30 % are right: talking will not help yet. Explain, then ask again.");
  if (share > MANY) return t("More than 70 % are right: say why in one sentence, and go on.");
  return t("Between 30 and 70 % are right: let them talk, then vote again.");
}

/** In the teacher's window, above the notes: both votes with their shares, what is right, and what to do next. */
export function poll_on_desk(votes: Votes & { options: string[]; right: number }, poll: Poll): TemplateResult {
  const cell = (counts: number[], option: number) => {
    const all = total(counts);
    return html`<td>${counts[option]}${all ? html` <small>${Math.round((100 * counts[option]) / all)} %</small>` : nothing}</td>`;
  };
  const second = votes.phase === "again" || votes.phase === "both";
  return html`<div class="wf-counts"><table>
      <thead><tr><th></th><th></th><th>${t("Before")}</th>${second ? html`<th>${t("After")}</th>` : nothing}</tr></thead>
      <tbody>${votes.options.map(
        (option, i) => html`<tr class=${i === votes.right ? "wf-is-right" : ""}><th scope="row">${LETTERS[i]}</th>
          <td>${t(option)}${i === votes.right ? html` <b>${t("✓ right")}</b>` : nothing}</td>
          ${cell(votes.first, i)}${second ? cell(votes.second, i) : nothing}</tr>`,
      )}</tbody></table>
    <p><b>${t("{voted} of {here} have voted", { voted: voted(votes), here: poll.here })}</b> ${timer(poll.ends)}</p>
    <p class="wf-advice">${advice(votes, votes.right)}</p></div>`;
}

/** What can be pressed while phones vote. */
export function poll_buttons(
  votes: Votes,
  { ends }: Poll,
  act: { change: (votes: Votes) => void; timer: (seconds: number) => void; settle?: () => void },
): TemplateResult {
  const button = (label: string, press: () => void, phase = false) =>
    html`<button type="button" data-act=${phase ? "phase" : nothing} @click=${press}>${label}</button>`;
  return html`<nav>${
    votes.phase === "both"
      ? asking(phase_button(votes), t("Clear both votes?"), () => act.change(next_phase(votes)))
      : button(phase_button(votes, true), () => act.change(next_phase(votes, true)), true)
  }
    ${votes.phase === "talk" ? button(t("Show the vote"), () => act.change({ ...votes, phase: "seen" })) : nothing}
    ${act.settle ? button(t("Show what is right"), act.settle) : nothing}
    ${[30, 60, 90].map((seconds) => button(t("{seconds} s", { seconds }), () => act.timer(seconds)))}
    ${ends ? button(t("Stop the timer"), () => act.timer(0)) : nothing}
    ${button(t("Count hands instead"), () => act.change({ ...votes, hands: true }))}</nav>`;
}

const answered = (numbers: number[], here: number) =>
  t("{voted} of {here} have answered", { voted: numbers.length, here });

/** On the projector: how many have answered with a number, and the numbers once they are shown. */
export function numbers_on_screen(numbers: number[], here: number, shown: boolean): TemplateResult {
  return html`<aside class="wf-hands">
    ${shown ? numbers_table(numbers) : html`<p role="status">${answered(numbers, here)}</p>`}</aside>`;
}

/** Below the notes: what went wrong, sentences that were handed in, and tables to keep. */
export function room_on_desk({ lost, fault, tickets, numbers, here }: Poll): TemplateResult {
  return html`${
    lost || fault
      ? html`<p role="alert">${lost ? t("The room does not answer. Phones keep what was chosen; you can count hands.") : `${t(fault)} ${t("You can count hands.")}`}</p>`
      : nothing
  }
    ${tickets.length ? html`<h2>${t("Sentences: {n}", { n: tickets.length })}</h2><ul>${tickets.map((one) => html`<li>${one}</li>`)}</ul>` : nothing}
    ${numbers ? html`<div class="wf-counts"><p><b>${answered(numbers, here)}</b></p>${numbers_table(numbers)}</div>` : nothing}
    <p><a href="/teach/votes.csv">${t("All votes as a table")}</a> · <a href="/teach/tickets.csv">${t("All sentences as a table")}</a> · <a href="/teach/numbers.csv">${t("All numbers as a table")}</a></p>`;
}
