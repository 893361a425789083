// The page of a phone in the room (served at /room by `make class`): a vote, what was right and why, the teacher's lab, an
// exercise and its number, a sentence at the end, and at any time where it stands. What is chosen waits in an outbox on the phone, which all tabs
// share, until the room has said that it is kept.

import { html, nothing, render, type TemplateResult } from "lit-html";
import { live } from "lit-html/directives/live.js";
import { t } from "../lab/words.ts";
import { timer } from "./poll.ts";
import type { Kept, Question, Room } from "./protocol.ts";
import { LETTERS } from "./votes.ts";

/** What this device is called, what waits for the room, and what the room has said that it keeps. */
interface Mine {
  token: string;
  waits: Kept;
  kept: Kept;
}

const SILENT = 9500; // milliseconds; the room beats every four seconds
const AGAIN = 5000; // milliseconds, after which a room that could not keep a vote is asked once more
const JITTER = 2000; // milliseconds; when all come back, not all at once
const TICKET = 280; // letters
const MOST = 1e12; // of a number
const GROUPS = 9000; // of seeds, so that hardly two phones of a class train alike

const root = document.querySelector("main")!;
const code = () => decodeURIComponent(location.hash.slice(1)).toUpperCase();
const name = () => `whyformer:room:${code()}`;
const nothing_kept = (): Kept => ({ votes: {}, tickets: {}, numbers: {} });
let mine: Mine = { token: "", waits: nothing_kept(), kept: nothing_kept() };
let room: Room | undefined;
let ends = 0; // of the timer, in milliseconds of this phone's clock
let socket: WebSocket | undefined;
let heard = 0;
let state: "new" | "there" | "lost" | "back" = "new";
let note = "";
let wrong_code = false;
/** What is being written, and for which lesson. */
let draft: { lesson: string; text: string } | undefined;
/** The number that is being written, and to which question. */
let figure: { question: string; text: string } | undefined;
let roams = false;
let begins_at = ""; // where the frame was opened: from there it is moved, and never opened anew

function recall(): void {
  try {
    const { token, waits, kept } = JSON.parse(localStorage.getItem(name()) ?? "{}") as Partial<Mine>;
    const whole = (one: Partial<Kept> | undefined, or: Kept) => (one ? { ...nothing_kept(), ...one } : or);
    mine = { token: token ?? mine.token, waits: whole(waits, mine.waits), kept: whole(kept, mine.kept) };
  } catch {
    // no storage, or something else in it: for this page alone
  }
}

function change(act: () => void): void {
  recall(); // another tab may have written since
  act();
  try {
    localStorage.setItem(name(), JSON.stringify(mine));
  } catch {
    // private mode
  }
  paint();
}

// ---- the room

function connect(): void {
  if (!code() || wrong_code) return paint();
  recall();
  heard = Date.now();
  const mine_now = (socket = new WebSocket(`ws://${location.host}/live`));
  socket.onopen = () => say({ do: "hi", code: code().slice(0, 12), token: mine.token });
  socket.onclose = () => mine_now === socket && lose();
  socket.onmessage = ({ data }) => {
    if (mine_now !== socket) return;
    heard = Date.now();
    hear(JSON.parse(data as string) as Record<string, unknown>);
  };
}

function lose(wait = 500 + JITTER * Math.random()): void {
  const old = socket;
  socket = undefined;
  old?.close();
  if (state !== "new") state = "lost";
  if (!wrong_code) setTimeout(() => socket ?? connect(), wait);
  paint();
}

function say(message: object): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function send_all(): void {
  for (const [question, options] of Object.entries(mine.waits.votes))
    options.forEach((option, i) => option !== null && say({ do: "vote", question, round: i + 1, option }));
  for (const [lesson, text] of Object.entries(mine.waits.tickets)) say({ do: "ticket", lesson, text });
  for (const [question, value] of Object.entries(mine.waits.numbers)) say({ do: "number", question, value });
}

function hear(said: Record<string, unknown>): void {
  if (said.is === "you") {
    const first = Boolean(said.token);
    change(() => keep(said as unknown as Kept & { token?: string }));
    if (first) send_all();
  } else if (said.is === "room") {
    room = said as unknown as Room;
    roams &&= room.scene.do === "follow";
    ends = room.left === null ? 0 : Date.now() + 1000 * room.left;
    if (state === "lost") setTimeout(() => ((state = "there"), paint()), 3000);
    state = state === "lost" ? "back" : state === "new" ? "there" : state;
    paint();
  } else if (said.is === "refused")
    refuse(said as unknown as { of: Record<string, never>; why: string; sentence: string });
}

/** What the room keeps waits no longer. */
function keep({ votes, tickets, numbers, token }: Kept & { token?: string }): void {
  mine.token = token ?? mine.token;
  mine.kept = { votes, tickets, numbers };
  for (const [question, value] of Object.entries(mine.waits.numbers))
    if (numbers[question] === value) delete mine.waits.numbers[question];
  for (const [question, options] of Object.entries(mine.waits.votes))
    mine.waits.votes[question] = options.map((option, i) => (votes[question]?.[i] === option ? null : option));
  for (const [lesson, text] of Object.entries(mine.waits.tickets))
    if (tickets[lesson] === text) delete mine.waits.tickets[lesson];
  note = "";
}

function refuse({ of, why, sentence }: { of: Record<string, never>; why: string; sentence: string }): void {
  if (why === "disk") return void setTimeout(send_all, AGAIN);
  if (why === "code") wrong_code = true;
  change(() => {
    if (of.do === "vote") mine.waits.votes[of.question]?.splice(of.round - 1, 1, null as never);
    if (of.do === "number") delete mine.waits.numbers[of.question];
    if (of.do === "ticket") delete mine.waits.tickets[of.lesson];
    note = why === "closed" ? t("The vote was closed before yours arrived. It does not count.") : t(sentence);
  });
  if (wrong_code) socket?.close();
}

function vote(question: string, round: number, option: number): void {
  note = "";
  change(() => ((mine.waits.votes[question] ??= [null, null])[round - 1] = option));
  say({ do: "vote", question, round, option });
}

// ---- what is seen

function paint(): void {
  render(html`${standing()}${!code() || wrong_code ? asks_code() : room ? scene(room) : nothing}${kept_here()}`, root);
}

const waits = () =>
  Object.keys({ ...mine.waits.tickets, ...mine.waits.numbers }).length > 0 ||
  Object.values(mine.waits.votes).some((one) => one.some((option) => option !== null));

function standing() {
  const lost = waits()
    ? t("No connection to the room. Your answer waits on this phone and is sent when the room is back.")
    : t("No connection to the room. This page tries again by itself.");
  const words =
    state === "lost" ? lost
    : state === "back" ? t("The room is back.")
    : state === "new" ? (code() && !wrong_code ? t("Looking for the room …") : "")
    : room && !room.keeps && waits() ? t("The room cannot keep answers at the moment. Yours waits on this phone.")
    : ""; // prettier-ignore
  return html`<p class="standing" role="status" data-state=${state}>${words}${note ? html` <b>${note}</b>` : nothing}</p>`;
}

function asks_code() {
  const enter = (event: Event) => {
    event.preventDefault();
    wrong_code = false;
    note = "";
    location.hash = new FormData(event.target as HTMLFormElement).get("code")!.toString().trim();
  };
  return html`<form @submit=${enter}><label>${t("The code on the screen, six letters and digits")}
    <input name="code" maxlength="12" autocomplete="off" autocapitalize="characters" required /></label>
    <button>${t("Come in")}</button></form>`;
}

function scene(now: Room): TemplateResult {
  const { scene, question } = now;
  if (scene.do === "vote" && question) return asked(question);
  if (scene.do === "ask") return ticket(scene.text ?? "", scene.lesson ?? "");
  if (scene.do === "follow") return lab(scene.page!, scene.address!);
  if (scene.do === "numbers") return number(scene.question!, scene.text!, at(scene.page!, scene.part!));
  if (scene.do === "read" && scene.frame)
    return framed(at(scene.page!, scene.part!), t("What the slide shows"), nothing);
  const book = scene.do === "read" ? at(scene.page!, scene.part!) : "/";
  return html`<h1>${t("You are in the room.")}</h1><p>${t("Look to the front. A question appears here when it is asked.")}</p>
    <p><a href=${book} target="_blank" rel="noopener">${scene.do === "read" ? t("What the slide shows, in the book") : t("The book")}</a></p>`;
}

function asked(question: Question) {
  const { id, text, options, open, counts, right, reasons } = question;
  const own = [0, 1].map((i) => mine.waits.votes[id]?.[i] ?? mine.kept.votes[id]?.[i] ?? null);
  const chosen = open ? own[open - 1] : (own[1] ?? own[0]);
  const is_kept = (mine.waits.votes[id] ?? []).every((option) => option === null);
  const most = Math.max(1, ...counts.flat());
  const bar = (round: number[], i: number, option: number) =>
    html`<span class=${`bar round${i + 1}`}><i .style=${`width:${(80 * round[option]) / most}%`}></i>${round[option]}</span>`;
  const row = (option: string, i: number) => html`<li class=${i === right ? "right" : ""}>
    <button type="button" ?disabled=${!open} aria-pressed=${String(chosen === i)} @click=${() => vote(id, open, i)}>
      <b>${LETTERS[i]}</b><span>${t(option)}${i === right ? html` <b>${t("✓ this one")}</b>` : nothing}</span></button>
    ${counts.map((round, n) => bar(round, n, i))}</li>`;
  return html`<h1>${t(text)}</h1>
    ${open === 2 && own[0] !== null ? html`<p>${t("Once more, after talking. Before, you chose {letter}.", { letter: LETTERS[own[0]] })}</p>` : nothing}
    <ul>${options.map(row)}</ul>
    ${open ? html`<p class="timer">${timer(ends)}</p>` : nothing}
    ${right >= 0 ? html`<p class="reason">${t(reasons[right])}</p>${chosen !== null && chosen !== right ? html`<p class="reason">${LETTERS[chosen]}: ${t(reasons[chosen])}</p>` : nothing}` : nothing}
    <p class="own">${
      chosen === null ? (open ? t("Choose an answer. You may change it until the vote is closed.") : t("You have not voted."))
      : !is_kept ? t("{letter} is on its way …", { letter: LETTERS[chosen] })
      : open ? t("Your {letter} is kept. You may change it until the vote is closed.", { letter: LETTERS[chosen] })
      : counts.length ? t("You chose {letter}.", { letter: LETTERS[chosen] })
      : t("You chose {letter}. Now find someone who chose another answer, and convince each other.", { letter: LETTERS[chosen] })
    }</p>`; // prettier-ignore
}

function ticket(text: string, lesson: string) {
  const written = draft?.lesson === lesson ? draft.text : undefined;
  const now = written ?? mine.waits.tickets[lesson] ?? mine.kept.tickets[lesson] ?? "";
  const send = (event: Event) => {
    event.preventDefault();
    const sentence = (written ?? "").replace(/\s+/g, " ").trim().slice(0, TICKET);
    draft = undefined;
    change(() => (mine.waits.tickets[lesson] = sentence));
    say({ do: "ticket", lesson, text: sentence });
  };
  const write = ({ target }: Event) => ((draft = { lesson, text: (target as HTMLTextAreaElement).value }), paint());
  const own =
    mine.waits.tickets[lesson] ? t("On its way …")
    : mine.kept.tickets[lesson] ? t("Your sentence is kept. You may change it.")
    : nothing; // prettier-ignore
  return html`<h1>${t(text)}</h1><form @submit=${send}>
    <textarea aria-label=${t(text)} rows="5" maxlength=${TICKET} .value=${live(now)} @input=${write}></textarea>
    <button ?disabled=${!written?.trim()}>${t("Hand in")}</button> ${t("{left} letters left", { left: TICKET - now.length })}</form>
    <p class="own">${written !== undefined ? nothing : own}</p>`;
}

/** A part of a page of the book. Each phone has seeds of its own for what it trains there. */
function at(page: string, part: string): string {
  const group = 1 + (parseInt(mine.token.slice(0, 8), 16) % GROUPS || 0);
  return `/${page}.html?group=${group}#${part}`;
}

/** A page of the book in a frame: moved to where it is wanted, and never opened anew. */
function framed(wanted: string, title: string, above: unknown) {
  const frame = root.querySelector("iframe");
  if (!frame) begins_at = wanted;
  else if (!roams && (frame.dataset.at ?? begins_at) !== wanted) {
    frame.dataset.at = wanted;
    frame.contentWindow!.location.replace(wanted);
  }
  return html`${above}<iframe title=${title} src=${begins_at}></iframe>`;
}

/** The teacher's lab: where the teacher is, or wherever the reader goes until coming back. */
function lab(page: string, address: string) {
  const roam = () => {
    const frame = root.querySelector("iframe");
    roams = !roams;
    if (frame && !roams) frame.dataset.at = "";
    paint();
  };
  const above = html`<p><button type="button" aria-pressed=${String(roams)} @click=${roam}>${
    roams ? t("Back to where the teacher is") : t("Go my own way")
  }</button></p>`;
  return framed(`/${page}.html${address}`, t("The teacher's lab"), above);
}

/** An exercise whose answer is a number, with the page of the book below. */
function number(question: string, text: string, wanted: string) {
  const written = figure?.question === question ? figure.text : undefined;
  const kept = mine.waits.numbers[question] ?? mine.kept.numbers[question];
  const value = Number((written ?? "").replaceAll("−", "-").trim() || NaN);
  const fine = Math.abs(value) <= MOST;
  const send = (event: Event) => {
    event.preventDefault();
    if (!fine) return;
    figure = undefined;
    change(() => (mine.waits.numbers[question] = value));
    say({ do: "number", question, value });
  };
  const write = ({ target }: Event) => ((figure = { question, text: (target as HTMLInputElement).value }), paint());
  const own =
    written?.trim() && !fine ? t("Write a number with a point, such as 0.5.")
    : written !== undefined || kept === undefined ? ""
    : question in mine.waits.numbers ? t("{number} is on its way …", { number: String(kept) })
    : t("Your {number} is kept. You may change it.", { number: String(kept) }); // prettier-ignore
  const above = html`<h1>${t(text)}</h1><form @submit=${send}>
    <input aria-label=${t(text)} inputmode="text" autocomplete="off" maxlength="30" .value=${live(written ?? String(kept ?? ""))} @input=${write} />
    <button ?disabled=${!fine}>${t("Hand in")}</button></form><p class="own">${own}</p>`;
  return framed(wanted, t("The exercise"), above);
}

const kept_here = () => html`<details><summary>${t("What is kept")}</summary>
  <p>${t("The teacher's laptop keeps your votes, numbers and sentences without your name, under a random number that this phone keeps too. Nothing goes to the internet. Others in this network could read along. Votes are counted by device: with two devices one person can vote twice.")}</p></details>`;

window.addEventListener("storage", () => (recall(), paint()));
window.addEventListener("hashchange", () => {
  room = undefined;
  mine = { token: "", waits: nothing_kept(), kept: nothing_kept() }; // what is of another room is kept under its code
  wrong_code = false;
  note = "";
  state = "new";
  lose(0);
});
for (const event of ["online", "pageshow", "visibilitychange"])
  window.addEventListener(event, () => !document.hidden && Date.now() - heard > SILENT / 2 && socket && lose(0));
setInterval(() => {
  if (socket && Date.now() - heard > SILENT) lose();
  else if (ends) paint();
}, 500);
connect();
