// <whyformer-workbench>: an experiment that trains in the page. Question, example and what was seen stand in the page
// already (whyformer_book/pages/workbench.py); here is what moves.

import { html, nothing, render, type TemplateResult } from "lit-html";
import { Stage } from "../lab/host/stage.ts";
import type { Laid } from "../lab/picture/layout.ts";
import { enlarge_labels } from "../lab/picture/lettering.ts";
import { on_screen, type Host } from "../lab/picture/screen.ts";
import { leave, left } from "../lab/storage.ts";
import { t } from "../lab/words.ts";
import { pack, unpack } from "./left.ts";
import { Pool } from "./pool.ts";
import type { Experiment } from "./train.ts";
import { BETS, name_of, outcome, range_of, rows, view, type Bench, type Run } from "./view.ts";
import type { Job, Report } from "./worker.ts";

/** Which seeds a page begins with, where its address says so: a class trains more of them together. */
const group = () => Math.min(9999, Number(/[?&]group=(\d{1,4})(?:&|$)/.exec(location.search)?.[1] ?? 0));
const PATIENCE = 30_000; // milliseconds: what would take longer is done with fewer seeds
const FEW = 3;

const NOBODY = {} as Host; // a picture without controls

const is_calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export class WhyformerWorkbench extends HTMLElement {
  /** Of all on a page one trains at a time: two would slow each other down. */
  static #training?: WhyformerWorkbench;
  #bench!: Bench;
  /** As it is declared, and with more steps. */
  #lengths!: [Experiment, Experiment];
  #pool!: Pool;
  #live?: HTMLElement;
  #stage?: Stage;
  #leave = new AbortController();
  #bet?: number;
  /** Whether anything has been trained since the beginning: then no bet is taken any more. */
  #begun = false;
  /** Milliseconds and steps that were measured, and whether it is known how long all would take. */
  #took = 0;
  #steps = 0;
  #is_timed = false;
  #notes: string[] = [];
  #spoken = "";
  #frame = 0;

  connectedCallback(): void {
    if (!this.#live) {
      const script = this.querySelector(':scope > script[type="application/json"]');
      if (!script) return;
      const experiment = JSON.parse(script.textContent!) as Experiment;
      this.#lengths = [experiment, { ...experiment, steps: experiment.long }];
      this.#pool = new Pool(experiment, {
        heard: (report) => this.#heard(report),
        died: (job, again) => this.#died(job, again),
        idle: () => this.#say_end(),
      });
      this.#live = document.createElement("div");
      this.#live.className = "wf-live";
      (this.querySelector(":scope > .wf-task") ?? script).after(this.#live);
      this.#stage = new Stage(this.#live);
      this.#bench = { experiment, arms: [0, 1], seeds: [], runs: new Map() };
      this.#begin();
      this.#come_back();
      this.setAttribute("alive", "");
    }
    this.#stage!.watch(this.#leave.signal, () => this.#paint());
    this.#paint();
  }

  disconnectedCallback(): void {
    this.#leave.abort();
    this.#leave = new AbortController();
    cancelAnimationFrame(this.#frame);
    this.#pool?.stop();
  }

  #begin(): void {
    this.#bench.arms = [0, 1];
    this.#start_over(this.#lengths[0], group() * this.#bench.experiment.seeds);
    this.#bet = undefined;
    this.#begun = false;
  }

  /** Nothing is trained yet of so many steps, from this seed on. */
  #start_over(experiment: Experiment, first: number): void {
    this.#pool.stop();
    this.#pool.experiment = experiment;
    this.#bench = { ...this.#bench, experiment, runs: new Map(), seeds: this.#from(first) };
    this.#is_timed = false;
    this.#notes = [];
    this.#spoken = "";
  }

  get #kept_as(): string {
    return `bench/${this.#bench.experiment.name}`;
  }

  /** As it was left: what had come to an end is trained. */
  #come_back(): void {
    const found = left(this.#kept_as, (value) => unpack(this.#lengths, value));
    if (!found) return;
    const { bet, ...bench } = found;
    this.#bench = bench;
    this.#pool.experiment = bench.experiment;
    this.#bet = bet;
    this.#begun = bench.runs.size > 0;
  }

  #keep(): void {
    leave(this.#kept_as, pack(this.#bench, this.#bet));
  }

  #from = (first: number): number[] => Array.from({ length: this.#bench.experiment.seeds }, (_, i) => first + i);

  /** What is not trained yet: seed by seed, so that the curves of all arms grow together. */
  get #open(): Job[] {
    const { seeds, arms, runs } = this.#bench;
    return seeds.flatMap((seed) => arms.map((arm) => ({ arm, seed }))).filter((job) => !runs.get(name_of(job))?.end);
  }

  #train(): void {
    this.#begun = true;
    if (WhyformerWorkbench.#training !== this) WhyformerWorkbench.#training?.stop();
    WhyformerWorkbench.#training = this;
    try {
      this.#pool.run(this.#open);
    } catch {
      this.#pool.stop();
      this.#notes = [t("This browser starts no workers here, so nothing can be trained in the page.")];
    }
    this.#paint();
  }

  #heard(report: Report): void {
    const { runs } = this.#bench;
    const name = name_of(report);
    const run: Run = report.step && runs.has(name) ? runs.get(name)! : { points: [] };
    if (run.points.length > 1) {
      this.#took += report.took; // without what the first steps cost, when a browser has only begun to compile
      this.#steps += report.step - run.points.at(-1)!.step;
    }
    if (report.end !== "overflowed") run.points.push(report);
    run.end = report.end;
    runs.set(name, run);
    this.#keep_short();
    if (report.end) this.#keep();
    if (report.end) this.#spoken = t("{n} {n:training is|trainings are} left", { n: this.#open.length });
    if (report.end || !is_calm()) this.#paint_soon();
  }

  /** Milliseconds until all is trained, as long as a step takes what it took so far. */
  get #left(): number {
    const { experiment, runs } = this.#bench;
    const done = this.#open.reduce((all, job) => all + (runs.get(name_of(job))?.points.at(-1)?.step ?? 0), 0);
    return ((this.#open.length * experiment.steps - done) * this.#took) / this.#steps / Pool.size;
  }

  /** Once the first steps were measured a device that is slow trains fewer seeds, and says so. */
  #keep_short(): void {
    const { seeds, runs } = this.#bench;
    if (this.#is_timed || [...runs.values()].filter(({ points }) => points.length > 2).length < Pool.size) return;
    this.#is_timed = true;
    const gaps = { seconds: Math.round(this.#left / 1000), few: FEW, all: seeds.length };
    if (this.#left <= PATIENCE || seeds.length <= FEW) return;
    this.#notes = [t("All {all} seeds would take {seconds} s on this device, so {few} are trained.", gaps)];
    this.#bench.seeds = seeds.slice(0, FEW);
    this.#pool.run(this.#open);
  }

  #died({ arm, seed }: Job, again: boolean): void {
    const gaps = { arm: t(this.#bench.experiment.arms[arm].arm.name), seed: this.#bench.seeds.indexOf(seed) + 1 };
    const said = again
      ? t("A worker stopped, so seed {seed} of {arm} is trained again from its beginning.", gaps)
      : t("A worker stopped twice: seed {seed} of {arm} is missing.", gaps);
    this.#notes = [...this.#notes, said];
    this.#bench.runs.set(name_of({ arm, seed }), { points: [], end: again ? undefined : "lost" });
    this.#paint_soon();
  }

  #say_end(): void {
    const { arms, experiment } = this.#bench;
    const found = arms.map((arm) => `${t(experiment.arms[arm].arm.name)}: ${range_of(this.#bench, arm)}`).join("; ");
    this.#spoken = t("Trained. Right answers, mean, least and most: {found}", { found });
    this.#paint_soon();
  }

  stop(): void {
    if (this.#pool.busy) this.#spoken = t("Stopped.");
    this.#pool.stop();
    this.#paint();
  }

  // ---- what a reader does

  #press(): void {
    if (this.#pool.busy) return this.stop();
    if (this.#begun && !this.#open.length) this.#bench.runs = new Map();
    this.#keep();
    this.#train();
    this.#bring_curves();
  }

  /** On a small screen the curves stand below its edge: then the buttons go up, and the curves come with them. */
  #bring_curves(): void {
    const { bottom } = this.querySelector("[data-panel=accuracy]")!.getBoundingClientRect();
    if (bottom <= innerHeight || this.matches(".wf-slide")) return;
    this.querySelector(".wf-bench-acts")!.scrollIntoView({ behavior: is_calm() ? "instant" : "smooth" });
  }

  #reset(): void {
    this.#begin();
    this.#keep();
    this.#paint();
  }

  #take_bet(bet: number): void {
    this.#bet = bet;
    this.#keep();
    this.#paint();
  }

  #other_seeds(): void {
    const { seeds, experiment } = this.#bench;
    this.#pool.stop();
    const next = this.#from(seeds[0] + experiment.seeds).slice(0, seeds.length);
    this.#bench = { ...this.#bench, runs: new Map(), seeds: next };
    this.#keep();
    this.#train();
  }

  #train_long(on: boolean): void {
    this.#start_over(this.#lengths[Number(on)], this.#bench.seeds[0]);
    this.#keep();
    if (this.#begun) this.#train();
    else this.#paint();
  }

  #switch(on: boolean): void {
    this.#bench.arms = on ? [0, 1, 2] : [0, 1];
    this.#keep();
    if (this.#begun && (on || this.#pool.busy)) this.#train();
    else this.#paint();
  }

  // ---- what is shown

  #paint_soon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  #paint(): void {
    if (!this.isConnected) return;
    this.querySelector(".wf-second")?.toggleAttribute("hidden", this.#bench.arms.length < 3);
    const stage = this.#stage!;
    const draw = (laid: Laid[]) => render(this.#frame_of(on_screen(laid, stage.room.em, NOBODY)), this.#live!);
    stage.show(view(this.#bench, !this.matches(".wf-slide")), undefined, "", draw);
  }

  #frame_of(picture: TemplateResult): TemplateResult {
    const { experiment, arms } = this.#bench;
    const { busy } = this.#pool;
    const rescue = experiment.arms[2]?.arm.name;
    const act = busy ? t("Stop") : this.#begun && !this.#open.length ? t("Train again") : t("Train");
    return html`<div class="wf-lab">
      ${this.#bet_of()}
      <div class="wf-bench-acts">
        <button type="button" class="wf-bench-train" @click=${() => this.#press()}>${act}</button>
        <button type="button" @click=${() => this.#other_seeds()}>${t("Other seeds")}</button>
        <button type="button" @click=${() => this.#reset()}>${t("Reset")}</button>
        ${
          rescue
            ? html`<label><input type="checkbox" .checked=${arms.length > 2}
                @change=${(event: Event) => this.#switch((event.target as HTMLInputElement).checked)} />
                ${t("with the second switch: {arm}", { arm: t(rescue) })}</label>`
            : nothing
        }
        <label><input type="checkbox" .checked=${experiment === this.#lengths[1]}
          @change=${(event: Event) => this.#train_long((event.target as HTMLInputElement).checked)} />
          ${t("{steps} steps each", { steps: experiment.long.toLocaleString("en") })}</label>
      </div>
      <p class="wf-bench-status">${this.#status}</p>
      <div class="wf-notes" role="status">${this.#notes.map((note) => html`<p>${note}</p>`)}</div>
      ${picture}
      ${this.#table()}
      <p class="wf-spoken" aria-live="polite">${this.#spoken}</p>
    </div>`;
  }

  get #status(): string {
    const { experiment, seeds } = this.#bench;
    const { busy } = this.#pool;
    const [first] = this.#open;
    if (!this.#begun) return t("{seeds} seeds, {steps} steps each", { seeds: seeds.length, steps: experiment.steps });
    if (!first) return t("Seeds {first} to {last}: trained", { first: seeds[0], last: seeds.at(-1) });
    const at = this.#bench.runs.get(name_of(first))?.points.at(-1)?.step ?? 0;
    const gaps = { seed: seeds.indexOf(first.seed) + 1, all: seeds.length, at, steps: experiment.steps };
    if (!busy) return t("Stopped at seed {seed} of {all}", gaps);
    const words = t("seed {seed} of {all} · step {at} of {steps}", gaps);
    if (!this.#is_timed) return words;
    return t("{words} · {left} s left", { words, left: Math.ceil(this.#left / 1000) });
  }

  /** Asked before the first training, and judged when that has ended; nothing moves meanwhile. */
  #bet_of(): TemplateResult {
    const without = t(this.#bench.experiment.arms[1].arm.name);
    const asked = t("Your bet: how good will “{without}” get?", { without });
    const found = outcome(this.#bench);
    const { steps } = this.#bench.experiment;
    const gaps = { without, steps, found: found === undefined ? "" : BETS[found]() };
    const was = found === undefined ? asked : t("After {steps} steps “{without}” was {found}.", gaps);
    const verdict = this.#bet === undefined ? "" : this.#bet === found ? t("Right.") : t("Not so.");
    return html`<div class="wf-bench-bet" role="group" aria-label=${asked}>
      <p>${found === undefined ? nothing : html`<strong>${verdict}</strong> `}${was}</p>
      <div class="wf-presets">${BETS.map(
        (bet, i) => html`<button type="button" aria-pressed=${String(this.#bet === i)} ?disabled=${this.#begun}
          @click=${() => this.#take_bet(i)}>${bet()}</button>`,
      )}</div></div>`;
  }

  #table(): TemplateResult {
    const shares = this.#bench.experiment.arms.map(({ arm }) => arm.divides_by / Math.sqrt(arm.head_size));
    const by_divisor = new Set(shares).size > 1;
    return html`<table class="wf-bench-table"><thead><tr><th scope="col">${t("model")}</th>
      <th scope="col">${t("right answers: mean [least, most]")}</th><th scope="col">${t("steps to 90 % (median)")}</th>
      ${by_divisor ? html`<th scope="col">${t("largest weight before the first step")}</th>` : nothing}</tr></thead>
      <tbody>${rows(this.#bench).map(
        ({ name, line, right, overflowed, to_90, largest }) => html`<tr>
          <th scope="row"><svg viewBox="0 0 40 10" aria-hidden="true"><path d="M1,5H39" class=${line} /></svg> ${name}</th>
          <td><span>${right}</span> <span>${overflowed}</span></td><td>${to_90}</td>
          ${by_divisor ? html`<td>${largest}</td>` : nothing}</tr>`,
      )}</tbody></table>`;
  }
}

if (document.documentElement.classList.contains("wf-projector")) enlarge_labels(); // as labs.js found, which ran before
if (!customElements.get("whyformer-workbench")) customElements.define("whyformer-workbench", WhyformerWorkbench);
