// What one press of a clicker does: within a moment as long as something is to come there, and then to the next moment.
// A pure function of where the moment stands, so the teacher's window can say it before it is done.

import { t } from "../lab/words.ts";
import { phase_button, PHASES, type Phase, type Votes } from "../classroom/votes.ts";
import type { Lesson } from "./lesson.ts";

/**
 * tell: the lab tells what it has asked. line: the next line of a derivation. numbers: what phones have answered is
 * shown. question: the question that was voted on stands in the place of what the moment looks at. phase: the vote goes
 * on. right: the class is told. sentence: phones are asked for one at the end of the lesson. leave: the next moment.
 * stay: there is none.
 */
export type Act = "tell" | "line" | "numbers" | "question" | "phase" | "right" | "sentence" | "leave" | "stay";

/** How far a moment goes with its vote: others come back to it, or it tells what is right. */
export type Until = "talk" | "both" | "right";

export interface Place {
  /** The lab that is shown asks, and has not told. */
  asks: boolean;
  /** Lines of the derivation that are still to come. */
  lines: number;
  /** Phones have answered with numbers, and the class has not seen them. */
  numbers: boolean;
  /** The question that the moment votes on, talks about or settles. */
  vote?: { phase: Phase; told: boolean; until: Until };
  /** Whether it stands on the screen to be voted on, and not what the moment looks at. */
  is_shown: boolean;
  /** The last moment; and whether phones can be asked for a sentence, or are being asked. */
  last: boolean;
  sentence: "can" | "asked" | "cannot";
}

const ORDER: Phase[] = ["open", "talk", "seen", "again", "both"];
/** A second vote that was opened by hand is closed first. */
const is_past = (phase: Phase, until: Until) =>
  until !== "right" && phase !== "again" && ORDER.indexOf(phase) >= ORDER.indexOf(until);

export function next_act({ asks, lines, numbers, vote, is_shown, last, sentence }: Place): Act {
  if (sentence === "asked") return last ? "stay" : "leave";
  if (asks) return "tell";
  if (lines > 0) return "line";
  if (numbers) return "numbers";
  if (vote && !vote.told && !is_past(vote.phase, vote.until)) {
    if (!is_shown && vote.until === "right") return "question";
    if (vote.phase !== PHASES.at(-1)) return "phase";
    if (vote.until === "right") return "right";
  }
  if (!last) return "leave";
  return sentence === "can" ? "sentence" : "stay";
}

/** How far the moment `at` goes with the vote `name`, by what comes later. */
export function until_of({ moments }: Lesson, at: number, name: string): Until {
  if (moments[at].talk === name) return "talk";
  const later = moments.slice(at + 1);
  const again = (one: Lesson["moments"][number]) =>
    one.talk === name || (one.look?.kind === "prediction" && one.look.name === name);
  if (later.some(again)) return "talk";
  return later.some(({ settle }) => settle === name) ? "both" : "right";
}

/** What the next press does, in words. */
export function words_of(act: Act, votes: Votes | undefined, by_phones: boolean, next: string): string {
  const words: Record<Act, () => string> = {
    tell: () => t("The lab tells what it has asked"),
    line: () => t("The next line"),
    numbers: () => t("Show the numbers"),
    question: () => t("The question of the vote, to settle it"),
    phase: () => phase_button(votes!, by_phones),
    right: () => t("Show what is right"),
    sentence: () => t("Ask for a sentence"),
    leave: () => t("The next moment: {what}", { what: next }),
    stay: () => t("The end."),
  };
  return words[act]();
}
