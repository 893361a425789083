// How the slides and the teacher's window talk. A message goes two ways: from window to window (postMessage, which works
// in every browser and from a file, as long as one has opened the other) and over a channel that all windows of this
// book's chapters hear (BroadcastChannel), so that slides which were closed and opened anew are found. Who is meant, it
// says itself. A standing is whole: with its lesson, so the teacher's window follows the slides into any chapter.

import { slug } from "./kept.ts";
import type { Lesson } from "./lesson.ts";
import type { Poll } from "../classroom/poll.ts";
import { room_of_page } from "./room.ts";
import type { Votes } from "../classroom/votes.ts";

/** What the slides say of themselves. */
export interface Standing {
  /** Which lesson, and what it is called. */
  lesson: Lesson;
  title: string;
  at: number;
  /** When the lesson began, in milliseconds of the clock. */
  began: number;
  blank: boolean;
  /** Whether what is right of the question voted on before is shown; nothing where no question was, or on its own slide. */
  settles?: "shown" | "hidden";
  votes?: Votes & { options: string[]; answered: boolean; right: number };
  /** The room of phones, if the page is in one. */
  poll?: Poll;
  /** What the next press of the clicker does, in words. */
  next: string;
  /** What the lab on the slide tells of what it asks. */
  tell?: string;
  /** What the slides ask before they do it. */
  asks?: string;
  /** What can be taken back. */
  undo?: Undone;
}

export type Undone = "forget" | "clear" | "step";

/** What the teacher's window asks for. */
export type Command =
  | { do: "next" | "back" | "blank" | "settle" | "forget" | "undo" | "here" | "ask" | "yes" | "no" }
  | { do: "go"; at: number }
  | { do: "votes"; votes: Votes }
  | { do: "timer"; seconds: number };

/** Which slides a standing comes from or a command is for: the later opened have the larger number. */
type From = Standing & { from: number; of: string };
/** A command comes twice where both ways are open: `time` says which it is. */
type To = Command & { to: number; time: number };
/** Said at once and every two seconds, to any slides there are; and when which lesson began, as far as one has heard. */
interface Hello {
  do: "hello" | "bye";
  of?: string;
  began?: number;
}

const MARK = "whyformer";
/** Pages from files have no origin to name; who is meant is decided by the window a message comes from. */
const ORIGIN = location.origin === "null" || location.protocol === "file:" ? "*" : location.origin;
const channel = new BroadcastChannel(`whyformer:lesson:${location.pathname.replace(/[^/]*$/, "")}`);
/** Which lesson of which room: a clock that goes on is of both. */
const LESSON = `${room_of_page()}:${slug()}`;
export const HELLO = 2000; // milliseconds
export const LOST = 3 * HELLO; // who has been silent so long is not there

/** What this program sent, and nothing else. */
function message<T>(data: unknown): T | undefined {
  const found = (data as Record<string, T> | null)?.[MARK];
  return found && typeof found === "object" ? found : undefined;
}

function say(to: Window | null, what: From | To | Hello): void {
  if (to && !to.closed) to.postMessage({ [MARK]: what }, ORIGIN);
  channel.postMessage({ [MARK]: what });
}

// ---- the slides

const ME = Date.now();
let teacher: Window | null = null;
let greeted = -Infinity;
let last: Standing | undefined;

/** Open the teacher's window, or bring it to the front. It may be there already, opened by slides that are closed. */
export function ask_for_window(): "opened" | "there" | "refused" {
  if (teacher && !teacher.closed) {
    teacher.focus();
    return "there";
  }
  if (!teacher && Date.now() - greeted < LOST) {
    greeted = -Infinity; // who does not find it presses once more, and another one opens
    return "there";
  }
  const address = `${location.href.split(/[?#]/, 1)[0]}?teacher`;
  teacher = window.open(address, "whyformer-teacher", "popup,width=760,height=900");
  teacher?.focus();
  return teacher ? "opened" : "refused";
}

export function tell_teacher(standing: Standing): void {
  last = standing;
  say(teacher, { ...standing, from: ME, of: LESSON });
}

/**
 * Obey the teacher's window, and no other window that can send a message. Slides that were loaded anew know it again by
 * the first that speaks; over the channel only this site's own pages are heard. `met` hears of the lesson's beginning.
 */
export function hear_teacher(obey: (command: Command, time: number) => void, met: (began: number) => void): void {
  let latest = 0;
  const heard = (data: unknown) => {
    const said = message<To | Hello>(data);
    if (said?.do === "hello") {
      greeted = Date.now();
      if (said.of === LESSON && Number.isFinite(said.began)) met(said.began!);
      if (last) tell_teacher(last);
    } else if (said?.do === "bye") greeted = -Infinity;
    else if (said && "to" in said && said.to === ME && said.time > latest) {
      latest = said.time;
      obey(said, said.time);
    }
  };
  channel.addEventListener("message", ({ data }) => heard(data));
  window.addEventListener("message", ({ source, data, origin }) => {
    if ((ORIGIN !== "*" && origin !== ORIGIN) || !is_another_window(source)) return;
    if (!message<To | Hello>(data)?.do) return;
    if (!teacher || teacher.closed) teacher = source as Window;
    if (source === teacher) heard(data);
  });
}

/** Neither this page nor a frame in it. Of a page from a file nothing but its identity may be looked at. */
function is_another_window(source: MessageEventSource | null): boolean {
  const frames = Array.from({ length: window.length }, (_, i) => (window as unknown as Window[])[i]);
  return source !== null && source !== window && !frames.includes(source as Window);
}

// ---- the teacher's window

let slides = { from: 0, heard: -Infinity, of: "", began: undefined as number | undefined };
let sent = 0;

/** Ask the slides for something. */
export function ask_slides(command: Command): void {
  sent = Math.max(sent + 1, Date.now());
  say(opener as Window | null, { ...command, to: slides.from, time: sent });
}

/** Look for slides: those that were there, and others that were opened since. */
export function greet_slides(): void {
  const { of, began } = slides;
  say(opener as Window | null, { do: "hello", of, began });
}

/** Whether the slides have answered lately. */
export const are_slides_there = () => Date.now() - slides.heard < LOST;

/** Hear how the slides stand: the latest that were opened, as long as they answer. */
export function hear_slides(heard: (standing: Standing) => void): void {
  const hear = (data: unknown) => {
    const standing = message<From>(data);
    if (!standing || !standing.lesson?.moments?.[standing.at]) return;
    if (standing.from < slides.from && are_slides_there()) return;
    if (standing.from !== slides.from) greet_slides(); // others: they are told when the lesson began
    slides = { from: standing.from, heard: Date.now(), of: standing.of, began: standing.began };
    heard(standing);
  };
  channel.addEventListener("message", ({ data }) => hear(data));
  window.addEventListener("message", ({ source, data, origin }) => {
    if (source === opener && (ORIGIN === "*" || origin === ORIGIN)) hear(data);
  });
  window.addEventListener("pagehide", () => say(opener as Window | null, { do: "bye" }));
}
