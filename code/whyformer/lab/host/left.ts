// Where a reader left a lab of a page, and the parts of the page that were folded open.

import { is_list_of_numbers, leave, left } from "../storage.ts";
import type { Session, Stay } from "./session.ts";

/** Of a lab, its steps alone: what was changed at a step is not kept, nor is a bet on stage. */
const name_of = ({ declaration }: Session) => `lab/${declaration.name}`;

export function come_back(session: Session): void {
  const { length } = session.progress.steps;
  if (!length) return;
  const stay = left(name_of(session), (value) => {
    const { at, told, met } = value as Stay;
    if (!is_list_of_numbers([at]) || !is_list_of_numbers(told) || !is_list_of_numbers(met)) return undefined;
    const is_step = (each: number) => each < length;
    return at <= length ? { at, told: told.filter(is_step), met: met.filter(is_step) } : undefined;
  });
  if (stay) session.come_back(stay);
}

export function keep(session: Session): void {
  if (!session.progress.steps.length) return;
  const { at, told, met } = session.stay;
  const is_new = at <= 0 && !told.length && !met.length;
  leave(name_of(session), is_new ? undefined : { at: Math.max(at, 0), told, met });
}

const FOLDS = "details:is(.wf-fold, .solution)";
const id_of = (fold: Element): string => fold.id || fold.closest("section")!.id;

/** Once for a page, before its labs start: folds open as they were left, and each change is kept. */
export function watch_folds(): void {
  const folds = [...document.querySelectorAll<HTMLDetailsElement>(FOLDS)];
  const open = left("folds", (value) => (Array.isArray(value) ? new Set<unknown>(value) : undefined));
  for (const fold of folds) if (open?.has(id_of(fold))) fold.open = true;
  const keep_folds = () => {
    const ids = folds.filter((fold) => fold.open).map(id_of);
    leave("folds", ids.length ? ids : undefined);
  };
  for (const fold of folds) fold.addEventListener("toggle", keep_folds);
}
