// How the slides and the teacher's window talk: postMessage between two windows of one page, from a file too.

import type { Votes } from "./votes.ts";

/** What the slides say of themselves. */
export interface Standing {
  at: number;
  /** When the lesson began, in milliseconds of the clock; nothing before that. */
  began?: number;
  blank: boolean;
  /** Whether what is right of the question voted on before is shown; nothing where no question was, or on its own slide. */
  settles?: "shown" | "hidden";
  votes?: Votes & { options: string[]; answered: boolean };
}

/** What the teacher's window asks for. */
export type Command =
  { do: "hello" | "blank" | "settle" | "forget" | "begin" } | { do: "go"; at: number } | { do: "votes"; votes: Votes };

const MARK = "whyformer";
/** Pages from files have no origin to name; who is meant is decided by the window a message comes from. */
const ORIGIN = location.origin === "null" || location.protocol === "file:" ? "*" : location.origin;

let teacher: Window | null = null;
let last: Standing | undefined;

/** Open the teacher's window, or bring it to the front; false if the browser refuses. */
export function ask_for_window(): boolean {
  if (!teacher || teacher.closed) {
    teacher = window.open(
      `${location.href.split(/[?#]/, 1)[0]}?teacher`,
      "whyformer-teacher",
      "popup,width=760,height=900",
    );
  }
  teacher?.focus();
  return teacher !== null;
}

export function tell_teacher(standing: Standing): void {
  last = standing;
  if (teacher && !teacher.closed) teacher.postMessage({ [MARK]: standing }, ORIGIN);
}

/** Obey the teacher's window, and no other. Slides that were loaded anew know it again by the first that speaks. */
export function hear_teacher(obey: (command: Command) => void): void {
  window.addEventListener("message", ({ source, data, origin }) => {
    if (ORIGIN !== "*" && origin !== ORIGIN) return;
    const command = (data as Record<string, Command> | null)?.[MARK];
    if (!command || typeof command.do !== "string" || !is_another_window(source)) return;
    if (!teacher || teacher.closed) teacher = source as Window;
    if (source !== teacher) return;
    if (command.do === "hello") {
      if (last) tell_teacher(last);
    } else obey(command);
  });
}

/** Neither this page nor a frame in it. Of a page from a file nothing but its identity may be looked at. */
function is_another_window(source: MessageEventSource | null): boolean {
  const frames = Array.from({ length: window.length }, (_, i) => (window as unknown as Window[])[i]);
  return source !== null && source !== window && !frames.includes(source as Window);
}

/** For the teacher's window: ask the slides for something. */
export function ask_slides(command: Command): void {
  (opener as Window | null)?.postMessage({ [MARK]: command }, ORIGIN);
}

/** For the teacher's window: hear how the slides stand. */
export function hear_slides(heard: (standing: Standing) => void): void {
  window.addEventListener("message", ({ source, data }) => {
    const standing = (data as Record<string, Standing> | null)?.[MARK];
    if (source === opener && standing && Number.isInteger(standing.at)) heard(standing);
  });
}
