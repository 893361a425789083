// What a device remembers of a card: how often in a row it could be said, and when it is asked again. A key for each
// card, so that progress can be counted (page/progress.ts), and a text that nobody else wrote harms one alone.

import { recall as recall_text, remember } from "../lab/storage.ts";

export interface Record {
  /** How often in a row, 3 at most. */
  said: number;
  /** In milliseconds; 0 for a card that was never asked. */
  due: number;
}

const KEY = "whyformer:card-1:";
export const DAYS = [1, 3, 7];
const NEW: Record = { said: 0, due: 0 };

const read = (name: string) => recall_text(KEY + name);
const write = (name: string, text: string | null) => remember(KEY + name, text);

/** The midnight, where the reader is, at which the day begins that is `later` days after that of `time`. */
function day(later: number, time = Date.now()): number {
  const at = new Date(time);
  return new Date(at.getFullYear(), at.getMonth(), at.getDate() + later).getTime();
}

/** What is remembered of a card. What lies further ahead than a week was written by a clock that has been set back. */
export function recall(name: string): Record {
  const found = /^([0-3]) (\d{1,15})$/.exec(read(name) ?? "");
  if (!found) return NEW;
  const due = Number(found[2]);
  return { said: Number(found[1]), due: due > day(DAYS.at(-1)!) ? NEW.due : due };
}

export function is_due({ due }: Record): boolean {
  return due <= Date.now();
}

/** In how many days a card is asked again; 0 is today. */
export function days_until({ due }: Record): number {
  return Math.max(0, Math.round((day(0, due) - day(0)) / 86_400_000));
}

/** Remember an answer. A card that was not asked for yet is not postponed by being said once more. Returns what it was. */
export function answer(name: string, could: boolean): () => void {
  const before = read(name);
  const { said, due } = recall(name);
  if (!could) write(name, `0 ${Date.now()}`);
  else if (due <= Date.now()) {
    const times = Math.min(said + 1, DAYS.length);
    write(name, `${times} ${day(DAYS[times - 1])}`);
  }
  return () => write(name, before);
}
