// What stands round a picture: title, steps and their sentence, the controls on stage, and what is behind "More".

import { html, nothing, type TemplateResult } from "lit-html";
import type { Declaration, Series, State } from "../declaration.ts";
import { describe } from "../declaration.ts";
import { said_of } from "../control/shown.ts";
import { moved_from, state_at, told_at, type Step } from "../step.ts";
import { t } from "../words.ts";

export interface Frame {
  declaration: Declaration;
  small: boolean;
  notes: string[];
  passing: string;
  /** Whether the reader came by a link and can go back. */
  way_back: boolean;
  state: State;
  /** The present step, counted from 0; the last is free play, and a lab without steps has no other. -1 is a bet. */
  step: number;
  /** What is on stage; nothing at free play. */
  now?: Step;
  /** Whether the reader has bet on what is on stage. */
  bet: boolean;
  /** The series at the state of the step, or where it is told. */
  said: Series;
  /** Whether the step asks, and has not told yet; and what it tells at the present state. */
  asking: boolean;
  tell: string;
  /** Controls that are moved in the picture itself. */
  grabbed: string[];
  /** Steps whose tell the reader's own move has brought. */
  solved: Set<number>;
  copy: string;
  /** Whether "More" is open: the controls off stage, and what is done to the lab as a whole. */
  more: boolean;
  toggled(open: boolean): void;
  /** Whether controls stand beside the picture, or below it. */
  beside: boolean;
  /** Whether a step shows its first panels alone. */
  narrow: boolean;
  description: string;
  picture: TemplateResult;
  fields(names: string[]): TemplateResult;
}

/** No line ends between a number and its %. */
const unbroken = (sentence: string) => sentence.replace(/(\d) %/g, "$1\u00a0%");

/**
 * What a step asks, then tells. Both have the room of the longest, or the lab would jump; a small lab has a room of its
 * own (lab.css). Once it is told, the ask stands
 * before the tell for a screen reader and on paper.
 */
function asked_or_told({ declaration, now, said, asking, tell, small }: Frame): TemplateResult {
  const there = told_at(declaration, now!);
  const all = small ? [] : [now!.asks, now!.says, ...now!.cases.map(({ says }) => says)];
  return html`<div class=${`${small ? "wf-sentence" : "wf-says"} wf-ask-or-tell`}>
    <p class=${asking ? "wf-ask" : "wf-asked"}>${t(now!.asks)}</p>
    ${asking ? nothing : html`<p class="wf-tell">${with_tokens(unbroken(tell), declaration)}</p>`}
    ${all.map((each) => html`<p class="wf-room" aria-hidden="true">${with_tokens(unbroken(describe(declaration, there, said, each)), declaration)}</p>`)}
  </div>`;
}

/** A sentence in which quoted words that the lab names are tokens. */
function with_tokens(sentence: string, { names }: Declaration): unknown {
  if (!names) return sentence;
  const known = Object.values(names)
    .flat()
    .map((name) => t(name));
  const asks = names.asks?.map((name) => t(name));
  return sentence.split(/“([^”]+)”/).map((part, i) => {
    if (i % 2 === 0) return part;
    const look = asks?.includes(part) ? "wf-in-words wf-asking" : "wf-in-words";
    return known.includes(part) ? html`<span class=${look}>${part}</span>` : `“${part}”`;
  });
}

export function frame(lab: Frame): TemplateResult {
  const { declaration, notes, picture, now } = lab;
  const description = unbroken(lab.description);
  const staged = Boolean(now) && !lab.small;
  const asks = lab.small && declaration.steps?.length;
  const is_full = lab.narrow && Number(now?.narrow) > 1; // no room for the state in words
  return html`<div class="wf-notes" role="status">${notes.map((note) => html`<p>${note}</p>`)}</div>
    <form class=${staged ? "wf-lab wf-staged" : asks ? "wf-lab wf-asks" : "wf-lab"} aria-label=${t(declaration.title)}
        @submit=${(event: Event) => event.preventDefault()}>
      ${head(lab, staged)}
      ${staged ? claim(lab) : presets(declaration)}
      ${staged ? nothing : asks && now ? asked_or_told(lab) : html`<p class="wf-sentence">${with_tokens(description, declaration)}</p>`}
      ${
        staged
          ? html`<div class=${lab.beside ? "wf-stage wf-beside" : "wf-stage"}><div class="wf-onstage">${picture}</div>
              <div class="wf-rail">${lab.fields(now!.controls.filter((name) => !lab.grabbed.includes(name)))}${is_full || now!.asks ? nothing : said(lab, description)}</div></div>`
          : picture
      }
      <p class="wf-spoken" role="status"></p>
    </form>`;
}

function head(lab: Frame, staged: boolean): TemplateResult {
  const { declaration, small, passing, copy } = lab;
  const actions = html`<button type="button" data-act="reset">${t("Reset")}</button>
    <button type="button" data-act="link">${copy}</button>`;
  const aside = staged
    ? declaration.controls.map(({ name }) => name).filter((n) => !lab.now!.controls.includes(n))
    : [];
  return html`<header class="wf-head">
    <div class="wf-notes wf-passing" role="status">${passing ? html`<p>${passing}</p>` : nothing}</div>
    <strong class="wf-title">${with_tokens(t(declaration.title), declaration)}</strong>
    ${lab.way_back ? html`<button type="button" class="wf-back" data-act="back">${t("↩ Back to where you were")}</button>` : nothing}
    ${small || declaration.steps?.length ? nothing : html`<span class="wf-hint">${t(declaration.hint)}</span>`}
    ${declaration.steps?.length && !small ? dots(lab) : nothing}
    ${small ? on(lab) : nothing}
    ${
      staged || small
        ? html`<details class="wf-more" ?open=${lab.more} @toggle=${(event: Event) => lab.toggled((event.target as HTMLDetailsElement).open)}>
            <summary>${t("More")}</summary>${
              lab.more
                ? html`<div>${aside.length ? lab.fields(aside) : nothing}<span class="wf-actions">${actions}</span></div>`
                : nothing
            }</details>`
        : html`<span class="wf-actions">${actions}</span>`
    }
  </header>`;
}

/** The one button of a small lab that asks. */
function on({ declaration: { steps = [] }, step, asking }: Frame): TemplateResult | typeof nothing {
  if (!steps.length) return nothing;
  const is_last = step >= steps.length - 1;
  return html`<button type="button" class="wf-on" data-act=${asking ? "tell" : is_last ? "again" : nothing}
    data-step=${asking || is_last ? nothing : step + 1}>${asking ? t("Tell me") : is_last ? t("Begin again") : t("Next")}</button>`;
}

/** One dot for each step and one for free play; arrow keys go from one to the next. */
function dots({ declaration, step, solved, asking }: Frame): TemplateResult {
  const count = declaration.steps!.length;
  const name = (i: number) =>
    i === count
      ? t("Free play: everything on stage")
      : solved.has(i)
        ? t("Step {i} of {count}, met", { i: i + 1, count })
        : t("Step {i} of {count}", { i: i + 1, count });
  return html`<nav class="wf-stepper" aria-label=${t("Steps")}>${[...declaration.steps!, undefined].map(
    (_, i) => html`<button type="button" data-step=${i} aria-current=${i === step ? "step" : nothing}
        tabindex=${i === Math.max(step, 0) ? 0 : -1} aria-label=${name(i)} title=${name(i)}
        class=${solved.has(i) ? "wf-dot wf-met" : "wf-dot"}
      >${i === count ? t("free") : solved.has(i) ? "✓" : i + 1}</button>`,
  )}<button type="button" class="wf-next" data-act=${asking ? "tell" : nothing} data-step=${asking ? nothing : step + 1}
    ?disabled=${step === count}>${asking ? t("Tell me") : t("Next")}</button></nav>`;
}

/** The sentence of a step. Above it stands which step it is and, once the reader has left it, what it speaks of. */
function claim(lab: Frame): TemplateResult {
  const { declaration, step, said, state, solved } = lab;
  const { controls } = declaration;
  const now = lab.now!;
  const start = state_at(declaration, now);
  const left = now.asks ? [] : moved_from(declaration, now, state);
  const at = left.map((name) =>
    said_of(
      controls.find((each) => each.name === name)!,
      start[name],
    ),
  );
  return html`<div class=${left.length ? "wf-thesis wf-left" : "wf-thesis"}>
    <p class="wf-eyebrow">${kind_of(lab)}${left.length ? html` · ${t("at {where}:", { where: at.join(", ") })}` : nothing}
      ${solved.has(step) ? html`<b class="wf-done">${t("✓ Done")}</b>` : nothing}</p>
    ${now.asks ? asked_or_told(lab) : html`<p class="wf-says">${unbroken(describe(declaration, start, said, now.says))}</p>`}
  </div>`;
}

/** Whether the sentence of the lab stands above the picture already, as it does after some bets. */
function is_said({ declaration, now, state }: Frame): boolean {
  return now!.says === declaration.sentence && !moved_from(declaration, now!, state).length;
}

/** What a step is to the reader. */
function kind_of({ declaration, step, bet }: Frame): string {
  const place = { i: step + 1, count: declaration.steps!.length };
  if (step < 0) return t("Your bet, here");
  if (bet) return t("Your bet, here · Step {i} of {count}", place);
  return t("Step {i} of {count}", place);
}

/** The state in words, beside what a bet shows. */
function said(lab: Frame, description: string): TemplateResult {
  return html`<p class="wf-sentence">${is_said(lab) ? nothing : description}</p>`;
}

function presets({ presets }: Declaration): TemplateResult | typeof nothing {
  if (!presets.length) return nothing;
  return html`<div class="wf-presets">${presets.map(
    (preset, i) => html`<button type="button" data-preset=${i}>${t(preset.label)}</button>`,
  )}</div>`;
}
