// Which pages, and which section of each, answer what a reader types. Pure: the same in a page and in the tests.

import MiniSearch from "minisearch";

/** What the build knows of a page (whyformer_book/site/search.py). The first section is the page's own, ahead of its headings. */
export interface Page {
  address: string;
  title: string;
  description: string;
  asked: string[];
  is_question: boolean;
  sections: Section[];
  /** Of the glossary: its words, each with the address of the section to which it leads. */
  leads?: [word: string, address: string][];
}

export interface Section {
  anchor: string;
  heading: string;
  passages: string[];
}

/** A page, its best section, and what of the text was asked for: pieces of an excerpt, marked or not. */
export interface Found {
  score: number;
  address: string;
  title: Piece[];
  heading: Piece[];
  excerpt: Piece[];
}

export interface Piece {
  text: string;
  is_marked: boolean;
}

/** What matched of a page: the number of a section, and the words that are in it. */
interface Hit {
  section: number;
  score: number;
  terms: string[];
}

interface Document {
  id: string;
  title: string;
  asked: string;
  heading: string;
  text: string;
  weight: number;
}

const WORD = /[\p{L}\p{N}_]+/gu;
/** Words that hyphens join. */
const COMPOUND = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+/gu;
/** Words of a question that say nothing of what is asked. */
const EMPTY = new Set(
  (
    "a an and are as at be been but by can could do does did for from have has how i if in into is it its me my of on " +
    "or should so than that the their then there they this to was we were what when where which while who why will " +
    "with would you your vs versus not explain mean means use used using between difference need really happens " +
    "为什 什么 怎么 怎样 如何 的区 区别"
  ).split(" "),
);
const ANSWERS = ["say-it", "short-answer"];
/** Sections that answer, and those that only mention. */
const WEIGHTS: Record<string, number> = {
  "say-it": 1.5,
  "short-answer": 1.5,
  "the-question": 0.7,
  exercises: 0.5,
  sources: 0.5,
};
const LONGEST = 200; // characters of an excerpt
const MOST = 8;

/** A text as a reader may type it: √dₖ, sqrt(d_k) and "sqrt dk" are the same. Letters keep their number where they can. */
function plain(text: string): string {
  return text.replaceAll("√", " sqrt ").replaceAll(/[’']s\b/g, "");
}

/** One word as it stands in the index: lower case, without signs and the s of a plural. */
function stem(word: string): string {
  const letters = word
    .normalize("NFKD")
    .replaceAll(/[\p{M}_]/gu, "")
    .toLowerCase();
  return letters.length > 3 ? letters.replace(/(?<![sui])s$/, "").replace(/is(?=(e[dr]?|ing|ation)$)/, "iz") : letters;
}

/** Chinese has no spaces: each two characters that follow one another are a word. */
const PARTS = /\p{Script=Han}+|[^\p{Script=Han}]+/gu;
const HAN = /\p{Script=Han}/u;

/** The words of a text, and where they stand in it. */
function* placed(text: string): Generator<{ word: string; index: number }> {
  for (const { 0: run, index } of text.matchAll(WORD))
    for (const { 0: part, index: inside } of run.matchAll(PARTS))
      if (!HAN.test(part) || part.length < 3) yield { word: part, index: index + inside };
      else
        for (let at = 0; at < part.length - 1; at++) yield { word: part.slice(at, at + 2), index: index + inside + at };
}

function words(text: string): string[] {
  return [...placed(plain(text))].map(({ word }) => word);
}

/** The words of a text of the book; what a hyphen joins (QK-norm) is also one word, as some type it. */
function words_of_book(text: string): string[] {
  return [...words(text), ...(plain(text).match(COMPOUND) ?? []).map((one) => one.replaceAll("-", ""))];
}

/** What a word is in the index; nothing for one that says nothing. */
function term_of(word: string): string | null {
  return EMPTY.has(word.toLowerCase()) ? null : stem(word);
}

/** The same for all ways to ask the same with the same words, in any order, or with other spaces. */
function keys_of(question: string): string[] {
  const terms = words(question).map(term_of).filter(Boolean);
  return [terms.join(""), [...terms].sort().join(" ")];
}

export class Index {
  private readonly index = new MiniSearch<Document>({
    fields: ["title", "asked", "heading", "text"],
    storeFields: ["weight"],
    tokenize: words_of_book,
    searchOptions: { tokenize: (question) => this.asked_words(question) },
    processTerm: term_of,
  });
  private readonly known: Set<string>;
  /** Of each page, what it is asked, whole. */
  private readonly asked: Set<string>[];

  constructor(private readonly pages: Page[]) {
    this.asked = pages.map((page) => new Set([page.title, ...page.asked].flatMap(keys_of)));
    const leads = pages.flatMap((page) => page.leads ?? []);
    const documents = pages.flatMap((page, number) =>
      page.sections.map((section, at) => {
        const address = `${page.address}#${section.anchor}`;
        const words_to_here = leads.filter(([, to]) => to === address).map(([word]) => word);
        return document_of(page, number, at, words_to_here);
      }),
    );
    this.index.addAll(documents);
    const all = documents.map(({ title, asked, heading, text }) => `${title} ${asked} ${heading} ${text}`).join(" ");
    this.known = new Set(words_of_book(all).map(stem));
  }

  /** The words of a question, and before them those that the book writes in one: softmax for "soft max". */
  private asked_words(question: string): string[] {
    const typed = words(question);
    const joined = typed.slice(1).map((word, place) => typed[place] + word);
    return [...joined.filter((word) => this.known.has(stem(word))), ...typed];
  }

  /** The best pages for a question, best first. */
  find(question: string): Found[] {
    const results = this.index.search(question, {
      boost: { title: 4, asked: 6, heading: 2.5 },
      weights: { fuzzy: 0.25, prefix: 0.5 },
      prefix: (term, place, all) => place === all.length - 1 && term.length > 1,
      fuzzy: (term) => (term.length > 3 && !this.known.has(term) ? 0.2 : false),
      boostDocument: (_id, _term, stored) => stored!.weight as number,
    });
    const of_pages = new Map<number, Hit[]>();
    for (const { id, score, terms } of results) {
      const [page, section] = String(id).split("/").map(Number);
      of_pages.set(page, [...(of_pages.get(page) ?? []), { section, score, terms }]);
    }
    const keys = keys_of(question);
    const is_asked = (page: number) => keys.some((key) => key && this.asked[page].has(key));
    const ranked = [...of_pages].map(([page, hits]) => rank(this.pages[page], hits, is_asked(page)));
    return ranked.sort((a, b) => b.score - a.score).slice(0, MOST);
  }
}

/** Hits of one page come best first. A page that is asked just this counts twice, and gives its answer. */
function rank(page: Page, hits: Hit[], is_asked: boolean): Found {
  const own = hits.find((hit) => hit.section === 0)?.score ?? 0;
  const inside = hits.filter((hit) => hit.section > 0);
  const answers = (section: number) => ANSWERS.includes(page.sections[section].anchor);
  const found = (is_asked && inside.find((hit) => answers(hit.section))) || inside[0];
  const answer = is_asked
    ? Math.max(
        0,
        page.sections.findIndex((_, section) => answers(section)),
      )
    : 0;
  const best = found?.section ?? answer;
  const { anchor, heading, passages } = page.sections[best];
  const terms = new Set(hits.flatMap((hit) => hit.terms));
  return {
    score: (own + (inside[0]?.score ?? 0)) * (is_asked ? 2 : 1),
    address: page.address + (anchor && `#${anchor}`),
    title: marked(page.title, terms),
    heading: anchor ? marked(heading, terms) : [],
    excerpt: marked(anchor ? excerpt(passages, terms) : page.description, terms),
  };
}

/** `leading`: the words that lead to this section. */
function document_of(page: Page, number: number, at: number, leading: string[]): Document {
  const { anchor, heading, passages } = page.sections[at];
  const is_own = at === 0;
  const asked = (is_own ? page.asked : leading).flatMap((one) => [one, words(one).join("")]);
  return {
    id: `${number}/${at}`,
    title: is_own ? page.title : "",
    asked: asked.join("\n"),
    heading: is_own ? "" : heading,
    text: passages.join("\n"),
    weight: (page.is_question ? 1 : 0.5) * (WEIGHTS[anchor] ?? 1),
  };
}

/** The passage with most of the words, from a little before the first of them. */
function excerpt(passages: string[], terms: Set<string>): string {
  const hits = (text: string) =>
    new Set(
      words(text)
        .map(stem)
        .filter((term) => terms.has(term)),
    ).size;
  const counts = passages.map(hits);
  const passage = passages[Math.max(0, counts.indexOf(Math.max(...counts)))] ?? "";
  if (passage.length <= LONGEST) return passage;
  const first = marked(passage, terms).findIndex((piece) => piece.is_marked);
  const before = marked(passage, terms)
    .slice(0, Math.max(first, 0))
    .reduce((sum, piece) => sum + piece.text.length, 0);
  const sentence = passage.lastIndexOf(". ", before) + 2;
  const near = before - sentence < LONGEST / 2 && sentence > 1 ? sentence : passage.lastIndexOf(" ", before - 60) + 1;
  const start = before < LONGEST / 2 ? 0 : near;
  const end = start + LONGEST < passage.length ? passage.lastIndexOf(" ", start + LONGEST) : passage.length;
  return (start ? "… " : "") + passage.slice(start, end) + (end < passage.length ? " …" : "");
}

/** A text in pieces, those marked that were asked for. */
function marked(text: string, terms: Set<string>): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (const { word, index } of placed(text)) {
    if (!terms.has(stem(word))) continue;
    if (index > from) pieces.push({ text: text.slice(from, index), is_marked: false });
    pieces.push({ text: text.slice(Math.max(from, index), index + word.length), is_marked: true });
    from = index + word.length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from), is_marked: false });
  return pieces;
}
