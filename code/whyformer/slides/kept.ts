// What a tab keeps of its lessons: votes, what the class was told, and when the lesson began. They belong to a room, or to
// a rehearsal without one, and to a lesson; what began hours ago is of another class.

import { room_of_page } from "./room.ts";
import type { Votes } from "../classroom/votes.ts";

export interface Kept {
  votes: Record<string, Votes>;
  /** By question that the class was told about: its answer, as <whyformer-predict> has it. */
  answers: Record<string, number>;
  /** When the lesson began, in milliseconds of the clock. */
  began: number;
}

const LONG_AGO = 3 * 60 * 60_000;
export const is_of_now = (began: unknown): began is number =>
  typeof began === "number" && Date.now() - began < LONG_AGO;

/** What a lesson is called: its page. */
export const slug = () => location.pathname.replace(/^.*\/|\.html$/g, "");

const of_room = () => `whyformer:lesson:${room_of_page() || "rehearsal"}:`;

export function remembered(): Kept | undefined {
  try {
    const { votes, answers, began } = JSON.parse(sessionStorage.getItem(of_room() + slug()) ?? "{}") as Partial<Kept>;
    return is_of_now(began) ? { votes: votes ?? {}, answers: answers ?? {}, began } : undefined;
  } catch {
    return undefined;
  }
}

export function remember(kept: Kept): void {
  try {
    sessionStorage.setItem(of_room() + slug(), JSON.stringify(kept));
  } catch {
    // for this page alone
  }
}

/** Forget all lessons of this room; what brings them back. */
export function forget_lessons(): () => void {
  try {
    const all = Object.entries(sessionStorage).filter(([key]) => key.startsWith(of_room())) as [string, string][];
    for (const [key] of all) sessionStorage.removeItem(key);
    return () => all.forEach(([key, text]) => sessionStorage.setItem(key, text));
  } catch {
    return () => undefined;
  }
}
