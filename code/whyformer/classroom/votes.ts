// Votes: a first, and a second after discussion; by show of hands, which the teacher counts, or by phones (room.ts).

import { html, nothing, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { t } from "../lab/words.ts";
import { asking } from "./ask.ts";

/**
 * open: the first vote, hidden; seen: it is shown; again: the second, and both are hidden; both: both are shown. With
 * phones the class talks before it has seen the first vote: talk, in the place of seen.
 */
export const PHASES = ["open", "seen", "again", "both"] as const;
export type Phase = (typeof PHASES)[number] | "talk";

export interface Votes {
  phase: Phase;
  first: number[];
  second: number[];
  /** Which take of the question the room's phones vote on. */
  take?: string;
  /** Hands are counted although there is a room. */
  hands?: boolean;
}

export const MOST = 999;
export const LETTERS = "ABCDEF";

export function no_votes(options: number): Votes {
  return { phase: "open", first: Array<number>(options).fill(0), second: Array<number>(options).fill(0) };
}

/** What was kept or sent, if it is what votes on so many options look like; else none. */
export function votes_from(value: unknown, options: number): Votes {
  const given = value as Partial<Votes> | null | undefined;
  const counts = (list: unknown) =>
    Array.isArray(list) && list.length === options && list.every((n) => Number.isInteger(n) && n >= 0 && n <= MOST);
  if (!given || ![...PHASES, "talk"].includes(given.phase!) || !counts(given.first) || !counts(given.second))
    return no_votes(options);
  return {
    phase: given.phase!,
    first: [...given.first!],
    second: [...given.second!],
    ...(typeof given.take === "string" ? { take: given.take } : {}),
    ...(given.hands === true ? { hands: true } : {}),
  };
}

/** Which vote is being taken: its counts are hidden from the class until it is closed. */
export function taking({ phase }: Votes): "first" | "second" | undefined {
  return phase === "open" ? "first" : phase === "again" ? "second" : undefined;
}

/** Votes with one count changed, kept within what a room can hold. */
export function counted(votes: Votes, option: number, count: number): Votes {
  const which = taking(votes);
  if (!which || !Number.isFinite(count)) return votes;
  const kept = Math.min(MOST, Math.max(0, Math.round(count)));
  return { ...votes, [which]: votes[which].map((n, i) => (i === option ? kept : n)) };
}

/** What the button below the votes does next; after both are shown it begins anew. */
export function next_phase(votes: Votes, by_phones = false): Votes {
  if (votes.phase === "talk") return { ...votes, phase: "again" };
  if (votes.phase === "open" && by_phones) return { ...votes, phase: "talk" };
  const at = PHASES.indexOf(votes.phase);
  return at + 1 < PHASES.length ? { ...votes, phase: PHASES[at + 1] } : no_votes(votes.first.length);
}

const BUTTONS: Record<Phase, () => string> = {
  open: () => t("Close the vote and show it"),
  talk: () => t("Vote again, after talking"),
  seen: () => t("Vote again, after talking"),
  again: () => t("Close the second vote and show both"),
  both: () => t("Clear both votes"),
};

/** What the button does, in words. */
export const phase_button = ({ phase }: Votes, by_phones = false): string =>
  phase === "open" && by_phones ? t("Close the vote; let them talk") : BUTTONS[phase]();

/** Votes as they are once the answer is shown: closed, if anyone has voted. */
export function closed(votes: Votes): Votes {
  if (votes.phase === "talk") return { ...votes, phase: "seen" };
  const which = taking(votes);
  if (!which) return votes;
  if (votes[which].some((n) => n > 0)) return next_phase(votes);
  return which === "second" ? { ...votes, phase: "seen" } : votes;
}

/** The most voted option of the last vote that was taken; -1 if there is none or several. */
export function favourite(votes: Votes): number {
  const counts = votes.phase === "both" ? votes.second : votes.first;
  const most = Math.max(...counts);
  return most > 0 && counts.indexOf(most) === counts.lastIndexOf(most) ? counts.indexOf(most) : -1;
}

/** The votes that may be seen. */
function seen({ phase }: Votes): ("first" | "second")[] {
  return phase === "both" ? ["first", "second"] : phase === "seen" ? ["first"] : [];
}

/** What was counted for an option, as a bar for each vote that may be seen. */
function bars(votes: Votes, option: number): TemplateResult {
  const shown = seen(votes);
  const widest = Math.max(1, ...shown.flatMap((one) => votes[one]));
  return html`<td class="wf-tally">${shown.map(
    (one) =>
      html`<div class="wf-vote-${one}"><i style=${`width:${(75 * votes[one][option]) / widest}%`}></i>
        <b>${votes[one][option]}</b></div>`,
  )}</td>`;
}

/** Beside the answer: the votes that were taken; nothing if none was. */
export function tally(votes: Votes): TemplateResult | undefined {
  if (!seen(votes).length) return undefined;
  const words = votes.phase === "both" ? t("Before talking, and after.") : t("The vote.");
  return html`<div class="wf-ballot"><table><caption>${words}</caption>${votes.first.map(
    (_, option) => html`<tr><th scope="row">${LETTERS[option]}</th>${bars(votes, option)}</tr>`,
  )}</table></div>`;
}

/**
 * One row for each option: what has been counted, as bars, and fields for the vote that is being taken. On the screen
 * of the class (`hidden`) the fields hide their digits.
 */
export function ballot(votes: Votes, hidden: boolean, change: (votes: Votes) => void): TemplateResult {
  const which = taking(votes);
  const row = (option: number) => html`<tr>
    <th scope="row">${LETTERS[option]}</th>
    ${
      which
        ? html`<td class="wf-count">
          <button type="button" aria-label=${t("one less for {option}", { option: LETTERS[option] })}
            @click=${() => change(counted(votes, option, votes[which][option] - 1))}>−</button>
          <input type=${hidden ? "password" : "text"} inputmode="numeric" autocomplete="off" maxlength="3"
            aria-label=${t("hands for {option}", { option: LETTERS[option] })}
            .value=${live(hidden && !votes[which][option] ? "" : String(votes[which][option]))}
            @input=${(event: Event) => change(counted(votes, option, Number((event.target as HTMLInputElement).value)))} />
          <button type="button" aria-label=${t("one more for {option}", { option: LETTERS[option] })}
            @click=${() => change(counted(votes, option, votes[which][option] + 1))}>+</button></td>`
        : nothing
    }
    ${seen(votes).length ? bars(votes, option) : nothing}</tr>`;
  return html`<div class="wf-ballot">
    <table><caption>${
      which === "first"
        ? t("Hands for each answer. They stay hidden until the vote is closed.")
        : which
          ? t("After talking: hands once more.")
          : votes.phase === "seen"
            ? t("The first vote. Now find someone who chose another answer.")
            : t("Before talking, and after.")
    }</caption>${votes.first.map((_, option) => row(option))}</table>
    ${
      votes.phase === "both"
        ? asking(BUTTONS.both(), t("Clear both votes?"), () => change(next_phase(votes)))
        : html`<button type="button" data-act="phase" @click=${() => change(next_phase(votes))}>${phase_button(votes)}</button>`
    }
  </div>`;
}
