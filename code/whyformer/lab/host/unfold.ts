/** What a part of the page is folded in is opened. */
export function unfold(part: Element): void {
  for (let fold = part.closest("details"); fold; fold = fold.parentElement!.closest("details")) fold.open = true;
}
