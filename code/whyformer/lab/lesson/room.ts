// The slides' side of a room of phones, where `make class` serves the page: what the room says, and what it is told. The
// slides say how things should stand (never "toggle", never "next"), so a message that comes twice changes nothing, and
// after a restart of the server all of it is said anew.

import type { Snapshot } from "./protocol.ts";
import { MOST, type Phase, type Votes } from "./votes.ts";

export type Message = { do: string } & Record<string, unknown>;

const SILENT = 9500; // milliseconds; the server beats every four seconds
const AGAIN = 1000;
const APART = 100; // milliseconds between two messages about where the lab stands

/** Whether this page comes from a server with a room. Other servers of this machine share its cookies, so it has the port. */
export function is_in_room(): boolean {
  const at = location.host.split(":").at(-1);
  return location.protocol === "http:" && document.cookie.split("; ").includes(`whyformer-room-${at}=1`);
}

export class Room {
  now?: Snapshot;
  lost = false;
  /** When the timer ends, in milliseconds of this clock. */
  ends = 0;
  #heard: () => void;
  #socket?: WebSocket;
  #last = 0;
  #wanted: Message[] = [];
  #said = new Map<string, string>();
  #later = 0;

  /** `heard`: there is something new. */
  constructor(heard: () => void) {
    this.#heard = heard;
    this.#connect();
    setInterval(() => {
      if (this.#socket && Date.now() - this.#last > SILENT) this.#lose();
      else if (this.ends) this.#heard();
    }, 500);
  }

  #connect(): void {
    this.#last = Date.now();
    this.#said.clear();
    const socket = (this.#socket = new WebSocket(`ws://${location.host}/teach/live`));
    socket.onclose = () => socket === this.#socket && this.#lose();
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      this.#last = Date.now();
      const said = JSON.parse(data as string) as Snapshot & { is: string };
      if (said.is !== "room") return;
      if (said.left === null && this.lost && this.ends > Date.now()) this.timer((this.ends - Date.now()) / 1000);
      else this.ends = said.left === null ? 0 : Date.now() + 1000 * said.left;
      this.now = said;
      this.lost = false;
      this.#heard();
      this.#say_wanted();
    };
  }

  #lose(): void {
    const old = this.#socket;
    this.#socket = undefined;
    old?.close();
    this.lost = true;
    setTimeout(() => this.#socket ?? this.#connect(), AGAIN);
    this.#heard();
  }

  #send(message: Message): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** How things should stand, in this order; what was said already is not said again, and no more than ten times a second. */
  want(messages: Message[]): void {
    this.#wanted = messages;
    this.#later ||= window.setTimeout(() => {
      this.#later = 0;
      this.#say_wanted();
    }, APART);
  }

  #say_wanted(): void {
    if (!this.now) return;
    const wanted = JSON.stringify(this.#wanted);
    if (this.#said.get("wanted") === wanted) return;
    this.#said.set("wanted", wanted);
    for (const message of this.#wanted) this.#send(message);
  }

  /** Start the timer; 0 stops it. */
  timer(seconds: number): void {
    this.ends = seconds ? Date.now() + 1000 * seconds : 0;
    this.#send({ do: "timer", seconds: Math.round(seconds) });
  }
}

/** The name under which the room keeps the votes on a question. Votes that are cleared are of an earlier take. */
export const id_of = (name: string, take: string) => `${name}~${take}`;

/** A new take. */
export const new_take = () => Date.now().toString(36);

/** Votes as the room counts them, for the question that is in front of it: its name, and the votes. */
export function counted_by(room: Snapshot): [name: string, votes: Votes] | undefined {
  const { question, votes } = room;
  const [name, take] = question?.id.split("~") ?? [];
  if (!question || !take) return undefined;
  const phases: Phase[] = question.counts.length ? ["seen", "both"] : ["talk"];
  const phase = question.open
    ? question.open === 1
      ? "open"
      : "again"
    : phases[Math.max(0, question.counts.length - 1)];
  const [first, second] = votes.map((counts) => counts.map((count) => Math.min(MOST, count)));
  return [name, { phase, first, second, take }];
}

/** What the room is told so that it stands as these votes do; `told` is what is right and why, once the class knows. */
export function wanted(
  name: string,
  { phase, take }: Votes,
  asked: { text: string; options: string[] },
  told?: { right: number; reasons: string[] },
): Message[] {
  if (!take) return [{ do: "wait" }];
  const question = id_of(name, take);
  const open = (round: number) => ({ do: "open", question, round, ...asked });
  if (told) {
    const round = phase === "both" ? 2 : 1;
    return [
      { do: "show", question, round },
      { do: "answer", question, ...told },
    ];
  }
  return {
    open: [open(1)],
    talk: [{ do: "close", question, round: 1 }],
    seen: [{ do: "show", question, round: 1 }],
    again: [open(2)],
    both: [{ do: "show", question, round: 2 }],
  }[phase];
}
