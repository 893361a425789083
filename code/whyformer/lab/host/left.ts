// Where a reader left a lab of a page, and the parts of the page that were folded open.

import { is_list_of_numbers, leave, left } from "../storage.ts";
import type { Session, Stay } from "./session.ts";

/** Of a lab, its steps alone: what was changed at a step is not kept, nor is a bet on stage. */
const name_of = ({ declaration }: Session) => `lab/${declaration.name}`;

export function come_back(session: Session): void {
  const { length } = session.progress.steps;
  if (!length) return;
  const stay = left(name_of(session), (value) => {
    const { at, met } = value as Stay;
    return is_list_of_numbers([at]) && at <= length && is_list_of_numbers(met) ? { at, met } : undefined;
  });
  if (stay) session.come_back({ at: stay.at, met: stay.met.filter((each) => each < length) });
}

export function keep(session: Session): void {
  if (!session.progress.steps.length) return;
  const { at, met } = session.stay;
  leave(name_of(session), at > 0 || met.length ? { at: Math.max(at, 0), met } : undefined);
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
