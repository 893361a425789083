// `page.html?teach`: the same page as slides, one moment of its lesson at a time. The address keeps the moment.

import { html, nothing, render } from "lit-html";
import type { WhyformerLab } from "../host/element.ts";
import type { WhyformerPredict } from "../teach/predict.ts";
import { t } from "../words.ts";
import { clock, element_named, prepare, shown_by, type Lesson, type Moment, type Target } from "./lesson.ts";
import { door, poll_on_screen } from "./poll.ts";
import { counted_by, is_in_room, new_take, right_of, Room, wanted_for, wanted_for_votes } from "./room.ts";
import { ask_for_window, hear_teacher, tell_teacher, type Command, type Undone } from "./talk.ts";
import { ballot, closed, favourite, tally, votes_from, type Votes } from "./votes.ts";

const AT = /^#moment-(\d+)$/;
const KEPT = `whyformer:lesson:${location.pathname}`;
const PREDICTIONS = "whyformer:predict:";

/** A clock that began earlier is of another lesson: the tab, or the teacher's window, stayed open. */
const LONG_AGO = 3 * 60 * 60_000;
/** Nobody means two turns of a vote within so many milliseconds: the second is a button pressed twice. */
const TWICE = 700;
const is_of_now = (began: number | undefined): began is number => Date.now() - began! < LONG_AGO;

/** What a reload of the slides keeps. */
interface Kept {
  votes: Record<string, Votes>;
  began?: number;
}

/** How it was before something was wiped. */
interface Before extends Kept {
  what: Undone;
  at: number;
  answers: Record<string, string>;
}

export class Slides {
  #lesson: Lesson;
  #at = 0;
  #blank = false;
  #overview = false;
  #bar = document.createElement("div");
  #over = document.createElement("div");
  #votes: Record<string, Votes> = {};
  #began = Date.now();
  #undo?: Before;
  #prepared = -1;
  /** Whether the question that was voted on stands in the place of what the moment looks at, with what is right. */
  #settling = false;
  /** The phones of the class, where the page is served with a room. */
  #room = is_in_room() ? new Room(() => this.#heard_room()) : undefined;
  /** Whether the room's question is still to be taken over: slides that were opened anew in the middle of a lesson. */
  #adopts = true;
  #turned = 0;
  #asks = false;
  #door = false;

  constructor(lesson: Lesson) {
    this.#lesson = lesson;
    const { votes, began } = remembered();
    this.#votes = votes;
    this.#began = began ?? this.#began;
    this.#keep();
    this.#bar.className = "wf-bar";
    this.#over.className = "wf-over";
    document.body.append(this.#bar, this.#over);
    document.documentElement.classList.add("wf-teach");
    const asked = AT.exec(location.hash);
    this.#at = asked ? Math.min(lesson.moments.length, Math.max(1, Number(asked[1]))) - 1 : 0;
    document.addEventListener("keydown", (event) => this.#pressed(event));
    window.addEventListener("hashchange", () => {
      const link = AT.exec(location.hash);
      if (link) this.go(Number(link[1]) - 1);
    });
    document.addEventListener("whyformer:answer", () => this.#change());
    if (this.#room) document.addEventListener("whyformer:change", () => this.#tell_room());
    let is_new = began === undefined;
    hear_teacher(
      (command) => this.#obey(command),
      (theirs) => {
        // Slides that were closed in the middle of a lesson and opened anew: its clock goes on.
        if (is_new && is_of_now(theirs)) this.#began = theirs;
        is_new = false;
        this.#keep();
      },
    );
    this.#show();
  }

  get #moment(): Moment {
    return this.#lesson.moments[this.#at];
  }

  /** The question that was voted on before a moment that looks at something else. */
  get #voted_on(): Target | undefined {
    if (this.#moment.look?.kind === "prediction") return undefined;
    const before = this.#lesson.moments.slice(0, this.#at).map(({ look }) => look);
    return before.filter((look) => look?.kind === "prediction").at(-1) ?? undefined;
  }

  get #look(): Target | null {
    return (this.#settling && this.#voted_on) || this.#moment.look;
  }

  go(at: number): void {
    const last = this.#lesson.moments.length - 1;
    const next = Math.min(last, Math.max(0, at));
    this.#overview = this.#blank = this.#asks = this.#door = false;
    if (this.#settling) this.#prepared = -1;
    this.#settling = false;
    delete this.#bar.dataset.note;
    if (next !== this.#at || this.#prepared !== next) {
      this.#at = next;
      history.replaceState(history.state, "", `#moment-${next + 1}`);
      this.#show();
    } else this.#paint();
  }

  /** The lab on the slide. */
  get #lab(): WhyformerLab | undefined {
    return this.#look?.kind === "lab" ? ((element_named(this.#look) as WhyformerLab | null) ?? undefined) : undefined;
  }

  /** What the lab has asked is told first; then the next moment comes. */
  #on(): void {
    const sees_lab = !this.#blank && !this.#overview && !this.#door && !this.#asks;
    if (!sees_lab || !this.#lab?.tell()) this.go(this.#at + 1);
  }

  /** Everything but the moment's element, and what it stands in, goes out of sight. */
  #show(): void {
    for (const one of document.querySelectorAll(".wf-off, .wf-way, .wf-slide"))
      one.classList.remove("wf-off", "wf-way", "wf-slide");
    const shown = shown_by(this.#look);
    const article = document.querySelector(".bd-article")!;
    for (const one of shown) {
      one.classList.add("wf-slide");
      for (let part = one.parentElement!; part !== article; part = part.parentElement!) part.classList.add("wf-way");
    }
    for (const way of [article, ...article.querySelectorAll(".wf-way")])
      for (const part of way.children) part.classList.toggle("wf-off", !part.matches(".wf-way, .wf-slide"));
    if (this.#prepared !== this.#at) prepare(this.#look);
    this.#prepared = this.#at;
    if (document.activeElement?.closest(".wf-off")) (document.activeElement as HTMLElement).blur();
    window.scrollTo(0, 0);
    this.#paint();
  }

  #predict(): WhyformerPredict | undefined {
    const look = this.#look;
    return look?.kind === "prediction" ? ((element_named(look) as WhyformerPredict | null) ?? undefined) : undefined;
  }

  #votes_here(): Votes | undefined {
    const predict = this.#predict();
    const count = predict?.options.length ?? 0;
    return predict && votes_from(this.#votes[predict.getAttribute("name")!], count);
  }

  #vote(votes: Votes): void {
    const name = this.#predict()?.getAttribute("name");
    if (!name) return;
    const cleared = this.#votes[name]?.phase === "both" && votes.phase === "open";
    const before = this.#before("clear");
    if (this.#room && !votes.hands && this.#votes[name] && votes.phase !== this.#votes[name].phase) {
      if (Date.now() - this.#turned < TWICE) return;
      this.#turned = Date.now();
      this.#room.timer(0);
    }
    this.#votes = { ...this.#votes, [name]: votes_from(votes, votes.first.length) };
    this.#change(cleared ? before : undefined);
  }

  /** Whether phones vote on what is shown. */
  get #by_phones(): boolean {
    return Boolean(this.#room?.now && !this.#votes_here()?.hands);
  }

  #heard_room(): void {
    const counted = this.#room!.now && counted_by(this.#room!.now);
    if (counted) {
      const [name, theirs] = counted;
      const ours = this.#votes[name];
      if (ours?.take === theirs.take && !ours.hands)
        this.#votes = { ...this.#votes, [name]: { ...ours, first: theirs.first, second: theirs.second } };
      else if (!ours && this.#adopts) this.#votes = { ...this.#votes, [name]: theirs };
    }
    if (this.#room!.now) this.#adopts = false;
    this.#keep();
    this.#paint();
  }

  #tell_room(): void {
    if (!this.#room?.now) return;
    const predict = this.#predict();
    const votes = this.#votes_here();
    if (predict && votes && !votes.take && !votes.hands && predict.answer === -1) {
      votes.take = new_take();
      this.#votes = { ...this.#votes, [predict.getAttribute("name")!]: votes };
      this.#keep();
    }
    const wanted = this.#asks
      ? [{ do: "ask", text: ask_for_sentence() }]
      : predict && votes
        ? wanted_for_votes(predict, votes)
        : wanted_for(this.#look);
    if (wanted) this.#room.want(wanted);
  }

  /** Something has changed; what was wiped before it cannot be taken back any more. */
  #change(undo?: Before): void {
    this.#undo = undo;
    this.#keep();
    this.#paint();
  }

  #keep(): void {
    remember({ votes: this.#votes, began: this.#began });
  }

  #before(what: Undone): Before {
    return { what, at: this.#at, began: this.#began, votes: this.#votes, answers: stored_answers() };
  }

  /** The class's answer is committed, or none, and the page says what is right; asked again, a moment has its own look back. */
  #settle(): void {
    if (this.#settling) return this.go(this.#at);
    if (this.#voted_on) {
      this.#settling = true;
      this.#show();
    }
    const votes = this.#votes_here();
    if (!votes) return;
    this.#vote(closed(votes));
    this.#predict()!.commit(favourite(closed(votes)));
  }

  /** For the next class: no prediction and no vote is left on this device, and the clock begins anew. */
  #forget(): void {
    const before = this.#before("forget");
    for (const one of predictions()) one.forget();
    for (const key of Object.keys(before.answers)) localStorage.removeItem(key);
    this.#votes = {};
    this.#began = Date.now();
    this.go(0);
    this.#change(before);
  }

  #take_back(): void {
    if (!this.#undo) return;
    const { what, at, votes, began, answers } = this.#undo;
    this.#votes = votes;
    if (what === "forget") {
      this.#began = began!;
      for (const [key, answer] of Object.entries(answers)) localStorage.setItem(key, answer);
      for (const one of predictions()) one.show(Number(answers[PREDICTIONS + one.getAttribute("name")] ?? -1));
    }
    this.#change();
    this.go(at);
  }

  /** The clock says that the present moment begins now. */
  #here(): void {
    this.#began = Date.now() - clock(this.#lesson)[this.#at] * 60_000;
    this.#keep();
  }

  #leave(): void {
    const shown = shown_by(this.#moment.look)[0]?.closest("section[id]");
    const query = location.search.replace(/([?&])(teach|projector)(=[^&]*)?(&|$)/g, "$1").replace(/[?&]+$/, "");
    location.href = `${location.href.split(/[?#]/, 1)[0]}${query || "?projector=off"}${shown ? `#${shown.id}` : ""}`;
  }

  #obey(command: Command): void {
    if (command.do === "go" && command.at === this.#at + 1) this.#on();
    else if (command.do === "go") this.go(command.at);
    else if (command.do === "votes") this.#vote(command.votes);
    else if (command.do === "blank") this.#toggle_blank();
    else if (command.do === "settle") this.#settle();
    else if (command.do === "forget") this.#forget();
    else if (command.do === "undo") this.#take_back();
    else if (command.do === "here") this.#here();
    else if (command.do === "timer") this.#room?.timer(command.seconds);
    else if (command.do === "ask") this.#asks = true;
    this.#paint();
  }

  #toggle_blank(): void {
    this.#blank = !this.#blank;
    this.#paint();
  }

  #pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const target = event.target as Element;
    const writes = target.matches("input:not([type=range], [type=radio], [type=checkbox]), textarea, select");
    const moves = target.closest("input, select, [role=slider], .wf-stepper") && /^(Arrow|Home|End| $)/.test(key);
    const clicks = target.closest("button, a, summary") && (key === " " || key === "Enter");
    const clicker = key === "PageDown" || key === "PageUp"; // wherever the focus is
    if ((writes || moves || clicks) && !clicker && key !== "Escape") return;
    const act: Record<string, () => void> = {
      ArrowRight: () => this.#on(),
      PageDown: () => this.#on(),
      " ": () => (event.shiftKey ? this.go(this.#at - 1) : this.#on()),
      ArrowLeft: () => this.go(this.#at - 1),
      PageUp: () => this.go(this.#at - 1),
      Home: () => this.go(0),
      End: () => this.go(this.#lesson.moments.length - 1),
      b: () => this.#toggle_blank(),
      ".": () => this.#toggle_blank(),
      a: () => this.#settle(),
      o: () => this.#toggle_overview(),
      s: () => document.documentElement.classList.toggle("wf-silent"),
      n: () => this.#notes(),
      q: () => this.#toggle_door(),
      f: () => void full_screen(),
      Escape: () => (this.#overview || this.#blank || this.#door ? this.go(this.#at) : this.#leave()),
    };
    const found = act[key.length === 1 ? key.toLowerCase() : key];
    if (!found) return;
    event.preventDefault();
    found();
  }

  #toggle_overview(): void {
    this.#overview = !this.#overview;
    this.#paint();
    if (this.#overview) this.#over.querySelector<HTMLElement>("[aria-current]")?.focus();
  }

  #toggle_door(): void {
    this.#door = !this.#door && Boolean(this.#room);
    this.#paint();
  }

  #choose(door: string): void {
    this.#room!.chosen = door;
    this.#paint();
  }

  #notes(): void {
    const found = ask_for_window();
    if (found === "opened") return;
    this.#bar.dataset.note =
      found === "there"
        ? t("Your window with the notes is open already, and follows these slides.")
        : t("The browser refused a second window. Allow pop-up windows for this page, then press N.");
    this.#paint();
  }

  #paint(): void {
    const { moments } = this.#lesson;
    const { do: doing, minutes } = this.#moment;
    const look = this.#look;
    const votes = this.#votes_here();
    const predict = this.#predict();
    const button = (key: string, label: string, act: () => void) =>
      html`<button type="button" title=${`${label} (${key})`} @click=${act}>${label}</button>`;
    render(
      html`<p class="wf-do" aria-live="polite">${look ? t(doing) : nothing}</p>
        ${this.#bar.dataset.note ? html`<p role="alert">${this.#bar.dataset.note}</p>` : nothing}
        <nav aria-label=${t("Slides")}>
          <span>${t("{at} of {count} · {minutes} min", { at: this.#at + 1, count: moments.length, minutes })}</span>
          ${button("←", t("Back"), () => this.go(this.#at - 1))}${button("→", t("Next"), () => this.#on())}
          ${this.#voted_on ? button("A", this.#settling ? t("Back to the moment") : t("Show what is right"), () => this.#settle()) : nothing}
          ${button("O", t("All"), () => this.#toggle_overview())}${button("S", t("Sentences"), () => document.documentElement.classList.toggle("wf-silent"))}
          ${this.#undo ? html`<button type="button" @click=${() => this.#take_back()}>${t("Undo")}</button>` : nothing}
          ${this.#room ? button("Q", t("Phones"), () => this.#toggle_door()) : nothing}
          ${button("N", t("Notes"), () => this.#notes())}
          ${button("F", t("Full screen"), () => void full_screen())}${button("Esc", t("Leave"), () => this.#leave())}
        </nav>`,
      this.#bar,
    );
    const starts = clock(this.#lesson);
    const asking = predict && predict.answer === -1;
    const counted = votes && !asking ? tally(votes) : undefined;
    const poll = this.#room?.poll;
    render(
      this.#blank
        ? html`<div class="wf-blank"></div>`
        : this.#overview
          ? html`<ol class="wf-overview">${moments.map(
              (one, at) => html`<li><button type="button" aria-current=${at === this.#at ? "step" : nothing}
                @click=${() => this.go(at)}>${t("{from} to {to} min", { from: starts[at], to: starts[at + 1] })}
                <b>${t(one.do)}</b></button></li>`,
            )}</ol>`
          : this.#door && poll
            ? html`<div class="wf-statement wf-over-all">${door(poll, (one) => this.#choose(one))}</div>`
            : this.#asks && poll
              ? html`<p class="wf-statement wf-over-all">${ask_for_sentence()}<br>${t("Sentences: {n}", { n: poll.tickets.length })}</p>`
              : !look
                ? html`<p class="wf-statement">${t(doing)}</p>`
                : votes && asking
                  ? html`<aside class="wf-hands">${
                      poll && this.#by_phones
                        ? poll_on_screen(votes, poll, (changed) => this.#vote(changed))
                        : ballot(votes, true, (changed) => this.#vote(changed))
                    }
                  <button type="button" @click=${() => this.#settle()}>${t("Show what is right")}</button></aside>`
                  : counted
                    ? html`<aside class="wf-hands wf-counted">${counted}
                    <button type="button" @click=${() => predict!.forget()}>${t("Predict again")}</button></aside>`
                    : nothing,
      this.#over,
    );
    document.documentElement.classList.toggle("wf-voting", Boolean(votes && asking));
    document.documentElement.classList.toggle("wf-tallied", Boolean(counted));
    tell_teacher({
      at: this.#at,
      began: this.#began,
      blank: this.#blank,
      tell: this.#lab?.told,
      settles: this.#voted_on && (this.#settling ? "shown" : "hidden"),
      undo: this.#undo?.what,
      votes:
        votes && predict
          ? { ...votes, options: predict.options, answered: predict.answer !== -1, right: right_of(predict) }
          : undefined,
      poll,
    });
    this.#tell_room();
  }
}

const ask_for_sentence = () => t("In one sentence: what do you take away from this lesson?");

const predictions = () => document.querySelectorAll<WhyformerPredict>("whyformer-predict");

/** What was predicted on this device, on all pages. */
function stored_answers(): Record<string, string> {
  try {
    return Object.fromEntries(Object.entries(localStorage).filter(([key]) => key.startsWith(PREDICTIONS)));
  } catch {
    return {}; // no storage in this browser: nothing was kept
  }
}

function remembered(): Kept {
  try {
    const { votes, began } = JSON.parse(sessionStorage.getItem(KEPT) ?? "{}") as Partial<Kept>;
    return { votes: votes ?? {}, began: is_of_now(began) ? began : undefined };
  } catch {
    return { votes: {} };
  }
}

function remember(kept: Kept): void {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(kept));
  } catch {
    // for this page alone
  }
}

async function full_screen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen().catch(() => undefined);
}
