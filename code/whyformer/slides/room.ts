// The slides' side of a room of phones, where `make class` serves the page: what the room says, and what it is told. The
// slides say how things should stand (never "toggle", never "next"), so a message that comes twice changes nothing, and
// after a restart of the server all of it is said anew.

import type { WhyformerLab } from "../lab/host/element.ts";
import type { WhyformerPredict } from "../lab/teach/predict.ts";
import { t } from "../lab/words.ts";
import { slug } from "./kept.ts";
import { element_named, shown_by, type Target } from "./lesson.ts";
import type { Poll } from "../classroom/poll.ts";
import type { Snapshot } from "../classroom/protocol.ts";
import { MOST, type Phase, type Votes } from "../classroom/votes.ts";

export type Message = { do: string } & Record<string, unknown>;

const SILENT = 9500; // milliseconds; the server beats every four seconds
const AGAIN = 1000;
const APART = 100; // milliseconds between two messages about where the lab stands

/** The code of the room that this page comes from, if it has one. Other servers of this machine share its cookies. */
export function room_of_page(): string {
  const name = `whyformer-room-${location.host.split(":").at(-1)}=`;
  const cookie = location.protocol === "http:" && document.cookie.split("; ").find((one) => one.startsWith(name));
  return cookie ? cookie.slice(name.length) : "";
}

export class Room {
  now?: Snapshot;
  lost = false;
  /** When the timer ends, in milliseconds of this clock. */
  ends = 0;
  /** The address that the teacher chose for phones, where the laptop is in several networks. */
  chosen = "";
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

  /** What is shown of the room, once it has been heard of. */
  get poll(): Poll | undefined {
    if (!this.now) return undefined;
    const { code, doors, here, fault, scene } = this.now;
    const numbers = scene.do === "numbers" ? this.now.numbers : undefined;
    const door = doors.includes(this.chosen) ? this.chosen : doors[0];
    const tickets = this.now.lesson === slug() ? this.now.tickets : [];
    return { code, door, doors, here, tickets, fault, numbers, lost: this.lost, ends: this.ends };
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

export const right_of = ({ verdicts }: WhyformerPredict) => verdicts.findIndex(([, right]) => right);

/** What the room is told so that it stands as these votes do; with what is right and why, once the class knows. */
export function wanted_for_votes(predict: WhyformerPredict, { phase, take, hands }: Votes): Message[] {
  if (!take || hands) return [{ do: "wait" }];
  const question = id_of(predict.getAttribute("name")!, take);
  const asked = { text: t(predict.question), options: predict.options.map((one) => t(one)), lesson: slug() };
  if (predict.answer !== -1) {
    const reasons = predict.verdicts.map(([reason]) => t(reason));
    const round = phase === "both" ? 2 : 1;
    return [{ do: "answer", question, round, right: right_of(predict), reasons }];
  }
  const open = (round: number) => ({ do: "open", question, round, ...asked });
  const wanted: Record<Phase, Message> = {
    open: open(1),
    talk: { do: "close", question, round: 1 },
    seen: { do: "show", question, round: 1 },
    again: open(2),
    both: { do: "show", question, round: 2 },
  };
  return [wanted[phase]];
}

/** What is asked below an exercise, if it is a number. */
function number_asked(part: Element): string | undefined {
  const script = part.nextElementSibling?.querySelector("whyformer-exercise > script");
  const asked = script && (JSON.parse(script.textContent!) as { check: string; label: string });
  return asked?.check === "number" ? asked.label : undefined;
}

/** An exercise or a box of the workbench, for phones in the book's own page, with a number to answer if one is asked. */
function wanted_for_part(part: Element, page: string): Message {
  const label = number_asked(part);
  const title = part.querySelector(".admonition-title")?.textContent.trim() ?? "";
  if (label !== undefined)
    return {
      do: "numbers",
      question: `${slug()}#${part.id}`,
      lesson: slug(),
      text: `${title}: ${label}`,
      page,
      part: part.id,
    };
  const works = part.matches(".exercise, whyformer-workbench") || part.querySelector("whyformer-workbench");
  return { do: "read", page, part: part.id, frame: works ? 1 : 0 };
}

/** What the room is told where nobody votes. A moment that looks at nothing leaves the phones where they are. */
export function wanted_for(look: Target | null): Message[] | undefined {
  if (!look) return undefined;
  const page = location.pathname.replace(/^\/teach\//, "").replace(/\.html$/, "");
  const [shown] = shown_by(look);
  if (look.kind === "part" && shown) return [wanted_for_part(shown, page)];
  if (look.kind === "lines") {
    const part = shown?.closest("section[id]")?.id ?? "";
    return [{ do: "read", page, part, frame: 0 }];
  }
  if (look.kind !== "lab") return [{ do: "wait" }];
  const lab = element_named(look) as WhyformerLab | null;
  return lab ? [{ do: "follow", page, lab: look.name, address: lab.fragment }] : undefined;
}
