// What this device remembers of a reader: bets, cards, solved exercises, and where each page was left. It stays in the
// browser (localStorage); what a browser refuses to keep is known as long as the page. Each thing has a key of its own,
// `whyformer:<what>:<chapter>/<name>`, so that a text that nobody else wrote harms one thing alone. A number in <what> is
// the version of its texts: those of another version are not read.

/** All that pages keep of a reader's progress. */
const PROGRESS = /^whyformer:(?:card-1|predict|solved|left-1):/;
const LEFT = "whyformer:left-1:";

/** Longer texts are not kept: a page may use some megabytes, and shares them with all others. */
const LONGEST = 100_000;

const page = new Map<string, string>();

export function recall(key: string): string | null {
  try {
    return page.get(key) ?? localStorage.getItem(key);
  } catch {
    return page.get(key) ?? null;
  }
}

/** `null` forgets. */
export function remember(key: string, text: string | null): void {
  page.delete(key);
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    if (text !== null) page.set(key, text);
  }
}

/** Whether this browser keeps what is written. */
export function is_kept(): boolean {
  try {
    localStorage.setItem("whyformer:try", "");
    localStorage.removeItem("whyformer:try");
    return true;
  } catch {
    return false;
  }
}

/** What is kept of a reader's progress, by key. */
export function kept_progress(): Map<string, string> {
  const found = new Map(page);
  try {
    for (const [key, text] of Object.entries({ ...localStorage })) if (PROGRESS.test(key)) found.set(key, text);
  } catch {
    // what this page knows
  }
  return found;
}

export function has_progress(): boolean {
  return kept_progress().size > 0;
}

/** Forget all of it; the function that comes back remembers it again. */
export function forget_all(): () => void {
  const before = kept_progress();
  for (const key of before.keys()) remember(key, null);
  return () => before.forEach((text, key) => remember(key, text));
}

/** A lesson begins as if nobody had been here: slides, and the teacher's window, neither keep nor show what was left. */
export const is_taught = (): boolean => /[?&]teach(er)?(=|&|$)/.test(location.search);

const key_of = (name: string): string =>
  `${LEFT}${/([^/]*?)(\.html)?$/.exec(location.pathname)![1] || "index"}/${name}`;

/** How something on this page was left, if it was, and if `read` understands it. */
export function left<T>(name: string, read: (value: unknown) => T | undefined): T | undefined {
  if (is_taught()) return undefined;
  try {
    return read(JSON.parse(recall(key_of(name)) ?? "null"));
  } catch {
    return undefined; // nobody here wrote that
  }
}

/** `undefined` where nothing differs from a page that is opened for the first time. */
export function leave(name: string, value: unknown): void {
  if (is_taught()) return;
  const text = value === undefined ? null : JSON.stringify(value);
  const key = key_of(name);
  const is_short = text === null || text.length <= LONGEST;
  if (recall(key) !== text) remember(key, is_short ? text : null);
}

export const is_list_of_numbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((each) => Number.isInteger(each) && each >= 0);
