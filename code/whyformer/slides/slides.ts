// `page.html?teach`: the same page as slides, one moment of its lesson at a time. The address keeps the moment.

import { html, nothing, render } from "lit-html";
import type { WhyformerPredict } from "../lab/teach/predict.ts";
import { t } from "../lab/words.ts";
import { forget_lessons, is_of_now, remember, remembered, slug, type Kept } from "./kept.ts";
import {
  clock,
  element_named,
  lines_of,
  prepare,
  shown_by,
  tells,
  told_by,
  type Lesson,
  type Moment,
  type Target,
} from "./lesson.ts";
import { next_act, until_of, words_of, type Act } from "./next.ts";
import { door, numbers_on_screen, poll_on_screen } from "../classroom/poll.ts";
import { counted_by, new_take, right_of, Room, room_of_page, wanted_for, wanted_for_votes } from "./room.ts";
import { ask_for_window, hear_teacher, tell_teacher, type Command, type Undone } from "./talk.ts";
import { ballot, closed, favourite, next_phase, taking, tally, votes_from, type Votes } from "../classroom/votes.ts";

const AT = /^#moment-(\d+)$/;

/** Nobody means two turns of a vote within so many milliseconds: the second is a button pressed twice. */
const TWICE = 700;
/** So long, in milliseconds, the code by which phones come in fills half of the first slide. */
const COMING_IN = 2 * 60_000;

/** How it was before a step, or before something was wiped. */
interface Before extends Kept {
  what: Undone;
  at: number;
  settling: boolean;
  asks: boolean;
  line: number;
  numbers: boolean;
  restore?: () => void;
}

type Asked = Extract<Target, { kind: "prediction" }>;

/** What is asked before it is done: the same again is a yes, and anything else a no. */
interface Question {
  what: string;
  words: string;
  act: () => void;
}

export class Slides {
  #lesson: Lesson;
  #at = 0;
  #blank = false;
  #overview = false;
  #bar = document.createElement("div");
  #over = document.createElement("div");
  #votes: Record<string, Votes> = {};
  #answers: Record<string, number> = {};
  #began = Date.now();
  /** What can be taken back, the last first; steps only within their moment. */
  #done: Before[] = [];
  #question?: Question;
  #prepared = -1;
  /** Whether the question that was voted on stands in the place of what the moment looks at, with what is right. */
  #settling = false;
  /** How many lines of the derivation are shown: they come one by one. */
  #line = 1;
  /** Whether the class sees the numbers that phones have answered. */
  #numbers = false;
  /** The phones of the class, where the page is served with a room. */
  #room = room_of_page() ? new Room(() => this.#heard_room()) : undefined;
  /** Whether the room's question is still to be taken over: slides that were opened anew in the middle of a lesson. */
  #adopts = true;
  #turned = 0;
  #asks = false;
  #door = false;

  constructor(lesson: Lesson) {
    this.#lesson = lesson;
    for (const { look } of lesson.moments)
      if (look?.kind === "prediction") look.name = element_named(look)?.getAttribute("name") ?? look.name;
    const kept = remembered();
    ({ votes: this.#votes, answers: this.#answers, began: this.#began } = kept ?? this.#kept());
    this.#keep();
    this.#show_answers();
    this.#bar.className = "wf-bar";
    this.#over.className = "wf-over";
    document.body.append(this.#bar, this.#over);
    document.documentElement.classList.add("wf-teach");
    const asked = AT.exec(location.hash);
    this.#at = asked ? Math.min(lesson.moments.length, Math.max(1, Number(asked[1]))) - 1 : 0;
    document.addEventListener("keydown", (event) => this.#pressed(event));
    window.addEventListener("hashchange", () => {
      const link = AT.exec(location.hash);
      if (!link) return;
      history.replaceState(history.state, "", `#moment-${this.#at + 1}`);
      this.go(Number(link[1]) - 1);
    });
    document.addEventListener("whyformer:answer", ({ target }) => this.#heard_answer(target as WhyformerPredict));
    setTimeout(() => this.#paint(), Math.max(0, this.#began + COMING_IN - Date.now()));
    if (this.#room) document.addEventListener("whyformer:change", () => this.#tell_room());
    let is_new = kept === undefined;
    hear_teacher(
      (command, time) => this.#obey(command, time),
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

  /** The question that the moment votes on, talks about or settles, or else the one that was voted on last before it. */
  get #voted_on(): Asked | undefined {
    const { look, settle, talk } = this.#moment;
    if (look?.kind === "prediction") return look;
    if (settle || talk) return { kind: "prediction", name: settle || talk };
    const before = this.#lesson.moments.slice(0, this.#at).map((one) => one.look);
    return before.filter((one): one is Asked => one?.kind === "prediction").at(-1);
  }

  get #look(): Target | null {
    return (this.#settling && this.#voted_on) || this.#moment.look;
  }

  /** Go to a moment; who would leave a vote that is open is asked first. */
  go(at: number): void {
    const next = Math.min(this.#lesson.moments.length - 1, Math.max(0, at));
    if (next === this.#at || !this.#would_lose()) return this.#to(next);
    this.#ask(`to ${next}`, t("The vote is open. Leave it?"), () => this.#to(next));
  }

  #to(next: number): void {
    this.#question = undefined;
    this.#overview = this.#blank = this.#asks = this.#door = false;
    if (this.#settling) this.#prepared = -1;
    this.#settling = false;
    delete this.#bar.dataset.note;
    this.#done = this.#done.filter(({ what, at }) => what !== "step" || at === next);
    if (next !== this.#at || this.#prepared !== next) {
      this.#line = 1;
      this.#numbers = false;
      this.#at = next;
      history.replaceState(history.state, "", `#moment-${next + 1}`);
      this.#show();
    } else this.#paint();
  }

  /** Ask before something is done; asked twice, it is done. */
  #ask(what: string, words: string, act: () => void): void {
    const asked = this.#question?.what === what;
    this.#question = asked ? undefined : { what, words, act };
    if (asked) act();
    this.#paint();
  }

  #answer(yes: boolean): void {
    const asked = this.#question;
    this.#question = undefined;
    if (yes) asked?.act();
    this.#paint();
  }

  /** Whether leaving the slide would leave a vote that is being taken. */
  #would_lose(): boolean {
    const votes = this.#votes_here();
    const which = votes && this.#predict()!.waiting && taking(votes);
    return Boolean(which && (this.#by_phones || votes[which].some((n) => n > 0)));
  }

  /** What the next press of the clicker does. */
  get #next(): Act {
    const { settle, talk, look } = this.#moment;
    const voted_on = (settle || talk || look?.kind === "prediction") && this.#voted_on;
    const predict = voted_on ? (element_named(voted_on) as WhyformerPredict | null) : null;
    const name = predict?.getAttribute("name");
    return next_act({
      asks: !this.#settling && tells(look) !== undefined,
      numbers: !this.#numbers && Boolean(this.#room?.poll?.numbers?.length),
      lines: Math.max(0, lines_of(this.#look).length - this.#line),
      vote: name
        ? {
            phase: this.#votes_on(predict!).phase,
            told: !predict!.waiting,
            until: until_of(this.#lesson, this.#at, name),
          }
        : undefined,
      is_shown: this.#look?.kind === "prediction",
      last: this.#at === this.#lesson.moments.length - 1,
      sentence: this.#asks ? "asked" : this.#room?.now ? "can" : "cannot",
    });
  }

  /** Whatever lies over the slide goes; whether there was anything. */
  #uncover(): boolean {
    const covered = Boolean(this.#question || this.#blank || this.#overview || this.#door);
    this.#question = undefined;
    this.#blank = this.#overview = this.#door = false;
    if (covered) this.#paint();
    return covered;
  }

  /** One press of the clicker. */
  #press(time = Date.now()): void {
    if (this.#uncover()) return;
    const act = this.#next;
    if (this.#is_twice(time)) return;
    if (act === "leave") return this.go(this.#at + 1);
    if (act === "line") this.#step(() => this.#show_lines(this.#line + 1));
    if (act === "numbers") this.#step(() => (this.#numbers = true));
    if (act === "tell") tells(this.#look)!();
    if (act === "phase") this.#vote(next_phase(this.#votes_in_place()!, this.#by_phones));
    if (act === "right") this.#tell();
    if (act === "question") this.#step(() => this.#question_instead());
    if (act === "sentence") this.#step(() => (this.#asks = true));
    this.#paint();
  }

  /** The clicker's other button: what was done in this moment is taken back, and then comes the moment before. */
  #back(): void {
    if (this.#question?.what !== `to ${this.#at - 1}` && this.#uncover()) return;
    if (this.#done.at(-1)?.what === "step") return this.#take_back();
    this.go(this.#at - 1);
  }

  /** Do something that can be taken back. */
  #step(act: () => void): void {
    const before = this.#before("step");
    const done = this.#done;
    act();
    this.#done = done;
    this.#change(before);
  }

  #show_lines(count: number): void {
    this.#line = count;
    this.#show();
  }

  /** Everything but the moment's element, and what it stands in, goes out of sight. */
  #show(): void {
    for (const one of document.querySelectorAll(".wf-off, .wf-way, .wf-slide"))
      one.classList.remove("wf-off", "wf-way", "wf-slide", "wf-before", "wf-at-hand");
    const { talk } = this.#moment;
    const shown = [...(talk ? shown_by({ kind: "prediction", name: talk }) : []), ...this.#shown()];
    document.documentElement.classList.toggle("wf-talking", Boolean(talk));
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

  /** What the moment looks at; of a derivation the lines up to the one at hand. */
  #shown(): Element[] {
    const lines = lines_of(this.#look).slice(0, this.#line);
    lines.forEach((line, i) =>
      line.forEach((one) => one.classList.add(i + 1 === lines.length ? "wf-at-hand" : "wf-before")),
    );
    return lines.length ? lines.flat() : shown_by(this.#look);
  }

  #predict(): WhyformerPredict | undefined {
    const look = this.#look;
    return look?.kind === "prediction" ? ((element_named(look) as WhyformerPredict | null) ?? undefined) : undefined;
  }

  #votes_on(predict: WhyformerPredict): Votes {
    return votes_from(this.#votes[predict.getAttribute("name")!], predict.options.length);
  }

  /** Votes on the question that is shown to be voted on. */
  #votes_here(): Votes | undefined {
    const predict = this.#predict();
    return predict && this.#votes_on(predict);
  }

  /** The question on the screen, also where the class talks about it. */
  #in_place(): WhyformerPredict | undefined {
    const { talk } = this.#moment;
    const talked = talk ? (element_named({ kind: "prediction", name: talk }) as WhyformerPredict | null) : null;
    return this.#predict() ?? talked ?? undefined;
  }

  #votes_in_place(): Votes | undefined {
    const predict = this.#in_place();
    return predict && this.#votes_on(predict);
  }

  #vote(votes: Votes, time = Date.now()): void {
    const predict = this.#in_place();
    if (!predict) return;
    const name = predict.getAttribute("name")!;
    const old = this.#votes_on(predict);
    if (votes.hands && !old.hands && this.#is_twice(time)) return; // its button came to where the pressed one was
    if (votes.phase === old.phase || votes.hands !== old.hands) {
      this.#votes = { ...this.#votes, [name]: votes_from(votes, votes.first.length) };
      return this.#change();
    }
    if (this.#is_twice(time)) return;
    const before = this.#before(old.phase === "both" ? "clear" : "step");
    if (this.#by_phones) this.#room!.timer(0);
    this.#turned = Date.now();
    this.#votes = { ...this.#votes, [name]: votes_from(votes, votes.first.length) };
    this.#change(before);
  }

  /** Whether a vote had been turned just before `time`, and this is the same press once more. */
  #is_twice = (time: number) => Boolean(this.#room) && time - this.#turned < TWICE;

  /** Whether phones vote on what is shown. */
  get #by_phones(): boolean {
    return Boolean(this.#room?.now && !this.#votes_in_place()?.hands);
  }

  #heard_room(): void {
    const counted = this.#room!.now && counted_by(this.#room!.now);
    if (counted) {
      const [name, theirs] = counted;
      const ours = this.#votes[name];
      if (ours?.take === theirs.take && !ours.hands)
        this.#votes = { ...this.#votes, [name]: { ...ours, first: theirs.first, second: theirs.second } };
      else if (!ours && this.#adopts) {
        this.#votes = { ...this.#votes, [name]: theirs };
        if (this.#room!.now!.question!.right >= 0)
          (element_named({ kind: "prediction", name }) as WhyformerPredict | null)?.commit(favourite(theirs));
      }
    }
    if (this.#room!.now) this.#adopts = false;
    this.#keep();
    this.#paint();
  }

  #tell_room(): void {
    if (!this.#room?.now) return;
    const predict = this.#in_place();
    const votes = this.#votes_in_place();
    if (predict && votes && !votes.take && !votes.hands && predict.answer === -1) {
      votes.take = new_take();
      this.#votes = { ...this.#votes, [predict.getAttribute("name")!]: votes };
      this.#keep();
    }
    const wanted = this.#asks
      ? [{ do: "ask", lesson: slug(), text: ask_for_sentence() }]
      : predict && votes
        ? wanted_for_votes(predict, votes)
        : wanted_for(this.#look);
    if (wanted) this.#room.want(wanted);
  }

  /** A question was answered on the slide, or is asked again. */
  #heard_answer(predict: WhyformerPredict): void {
    const { [predict.getAttribute("name")!]: _, ...others } = this.#answers;
    this.#answers = predict.waiting ? others : { ...others, [predict.getAttribute("name")!]: predict.answer };
    this.#change();
  }

  /** The page's questions as this lesson has answered them. */
  #show_answers(): void {
    for (const one of predictions()) one.show(this.#answers[one.getAttribute("name")!] ?? -1);
  }

  /** Something has changed; what was done before it can be taken back only if this is a step after a step. */
  #change(before?: Before): void {
    this.#done = before ? [...(before.what === "step" ? this.#done : []), before] : [];
    this.#keep();
    this.#paint();
  }

  #kept = (): Kept => ({ votes: this.#votes, answers: this.#answers, began: this.#began });

  #keep(): void {
    remember(this.#kept());
  }

  #before(what: Undone): Before {
    return {
      what,
      at: this.#at,
      settling: this.#settling,
      asks: this.#asks,
      line: this.#line,
      numbers: this.#numbers,
      ...this.#kept(),
    };
  }

  /** Show what is right, or go back; while a vote is open it is asked first. */
  #settle(): void {
    const predict = this.#voted_on && (element_named(this.#voted_on) as WhyformerPredict | null);
    if (!predict) return;
    if (this.#settling) return this.#to(this.#at);
    const votes = this.#votes_on(predict);
    if (this.#predict() && !predict.waiting) return this.#done.at(-1)?.what === "step" ? this.#take_back() : undefined;
    if (predict.waiting && taking(votes) && (votes.take || votes.first.some((n) => n > 0) || this.#predict()))
      return this.#ask("right", t("The vote is open. Show what is right?"), () => this.#tell());
    this.#tell();
  }

  /** The question in the place of what the moment looks at. */
  #question_instead(): void {
    if (this.#moment.look?.kind === "prediction") return;
    this.#settling = true;
    this.#show();
  }

  /** The class's answer is committed, or none, and the page says what is right. */
  #tell(): void {
    this.#step(() => {
      this.#question_instead();
      const predict = this.#predict()!;
      const name = predict.getAttribute("name")!;
      const votes = closed(this.#votes_on(predict));
      this.#votes = { ...this.#votes, [name]: votes };
      this.#turned = Date.now();
      predict.commit(favourite(votes));
    });
  }

  /** For the next class: no vote and no answer of this room's lessons is left, and the clock begins anew. */
  #forget(): void {
    const before = { ...this.#before("forget"), restore: forget_lessons() };
    this.#votes = {};
    this.#answers = {};
    this.#began = Date.now();
    this.#show_answers();
    this.#to(0);
    this.#change(before);
  }

  #take_back(): void {
    const before = this.#done.at(-1);
    if (!before) return;
    const left = this.#done.slice(0, -1);
    before.restore?.();
    const counts = (name: string, old: Votes) => (before.what === "step" ? (this.#votes[name] ?? old) : old);
    this.#votes = Object.fromEntries(
      Object.entries(before.votes).map(([name, old]) => [name, { ...counts(name, old), phase: old.phase }]),
    );
    this.#answers = before.answers;
    if (before.what === "forget") this.#began = before.began;
    this.#show_answers();
    this.#to(before.at);
    this.#asks = before.asks;
    this.#numbers = before.numbers;
    if (this.#line !== before.line) this.#show_lines(before.line);
    if (before.settling) this.#question_instead();
    this.#change();
    this.#done = left;
    this.#paint();
  }

  /** The clock says that the present moment begins now. */
  #here(): void {
    this.#began = Date.now() - clock(this.#lesson)[this.#at] * 60_000;
    this.#keep();
  }

  #leave(): void {
    if (!this.#would_lose()) return this.#give_page_back();
    this.#ask("leave", t("The vote is open. Leave it?"), () => this.#give_page_back());
  }

  #give_page_back(): void {
    const shown = shown_by(this.#moment.look)[0]?.closest("section[id]");
    const query = location.search.replace(/([?&])(teach|projector)(=[^&]*)?(&|$)/g, "$1").replace(/[?&]+$/, "");
    location.href = `${location.href.split(/[?#]/, 1)[0]}${query || "?projector=off"}${shown ? `#${shown.id}` : ""}`;
  }

  #obey(command: Command, time: number): void {
    if (command.do !== "yes" && command.do !== "settle" && command.do !== "go") this.#question = undefined;
    if (command.do === "go") this.go(command.at);
    else if (command.do === "next") this.#press(time);
    else if (command.do === "back") this.#back();
    else if (command.do === "yes") this.#answer(true);
    else if (command.do === "votes") this.#vote(command.votes, time);
    else if (command.do === "blank") this.#toggle_blank();
    else if (command.do === "settle") this.#is_twice(time) || this.#settle();
    else if (command.do === "forget") this.#forget();
    else if (command.do === "undo") this.#take_back();
    else if (command.do === "here") this.#here();
    else if (command.do === "timer") this.#room?.timer(command.seconds);
    else if (command.do === "ask") this.#step(() => (this.#asks = true));
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
      ArrowRight: () => this.#press(),
      PageDown: () => this.#press(),
      " ": () => (event.shiftKey ? this.#back() : this.#press()),
      ArrowLeft: () => this.#back(),
      PageUp: () => this.#back(),
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
      Escape: () => (this.#uncover() ? undefined : this.#leave()),
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
    const words = {
      opened: "",
      there: t("Your window with the notes is open already, and follows these slides."),
      refused: t("The browser refused a second window. Allow pop-up windows for this page, then press N."),
    };
    this.#bar.dataset.note = words[ask_for_window()];
    this.#paint();
  }

  #paint(): void {
    const { moments } = this.#lesson;
    const { do: doing, minutes, talk } = this.#moment;
    const asked = this.#question;
    const look = this.#look;
    const votes = this.#votes_here();
    const predict = this.#predict();
    const button = (key: string, label: string, act: () => void) =>
      html`<button type="button" title=${`${label} (${key})`} @click=${act}>${label}</button>`;
    render(
      html`<p class="wf-do" aria-live="polite">${look || talk ? t(doing) : nothing}</p>
        ${
          asked
            ? html`<p role="alert">${asked.words} <button type="button" @click=${() => this.#answer(true)}>${t("Yes")}</button>
                <button type="button" @click=${() => this.#answer(false)}>${t("No")}</button></p>`
            : nothing
        }
        ${this.#bar.dataset.note ? html`<p role="alert">${this.#bar.dataset.note}</p>` : nothing}
        <nav aria-label=${t("Slides")}>
          <span>${t("{at} of {count} · {minutes} min", { at: this.#at + 1, count: moments.length, minutes })}</span>
          ${button("←", t("Back"), () => this.#back())}${button("→", t("Next"), () => this.#press())}
          ${this.#voted_on && this.#moment.look?.kind !== "prediction" ? button("A", this.#settling ? t("Back to the moment") : t("Show what is right"), () => this.#settle()) : nothing}
          ${button("O", t("All"), () => this.#toggle_overview())}${button("S", t("Sentences"), () => document.documentElement.classList.toggle("wf-silent"))}
          ${this.#done.length ? html`<button type="button" @click=${() => this.#take_back()}>${t("Undo")}</button>` : nothing}
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
              : !look && !talk
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
                    : poll?.numbers
                      ? numbers_on_screen(poll.numbers, poll.here, this.#numbers)
                      : nothing,
      this.#over,
    );
    document.documentElement.classList.toggle("wf-voting", Boolean((votes && asking) || poll?.numbers));
    const comes_in = this.#at === 0 && Date.now() - this.#began < COMING_IN;
    document.documentElement.classList.toggle("wf-coming-in", Boolean(asking && poll && this.#by_phones && comes_in));
    document.documentElement.classList.toggle("wf-tallied", Boolean(counted));
    const in_place = this.#in_place();
    const votes_in_place = this.#votes_in_place();
    const next = moments[this.#at + 1]?.do ?? "";
    tell_teacher({
      lesson: this.#lesson,
      title: document.title,
      at: this.#at,
      began: this.#began,
      blank: this.#blank,
      settles:
        look?.kind === "prediction" && !this.#settling
          ? undefined
          : this.#voted_on && (this.#settling ? "shown" : "hidden"),
      next:
        this.#blank || this.#door
          ? t("The slide is back")
          : words_of(this.#next, votes_in_place, this.#by_phones, t(next)),
      tell: told_by(look),
      asks: asked?.words,
      undo: this.#done.at(-1)?.what,
      votes: in_place && {
        ...votes_in_place!,
        options: in_place.options,
        answered: in_place.answer !== -1,
        right: right_of(in_place),
      },
      poll,
    });
    this.#tell_room();
  }
}

const ask_for_sentence = () => t("In one sentence: what do you take away from this lesson?");

const predictions = () => document.querySelectorAll<WhyformerPredict>("whyformer-predict");

async function full_screen(): Promise<void> {
  if (document.fullscreenElement) await document.exitFullscreen();
  else await document.documentElement.requestFullscreen().catch(() => undefined);
}
