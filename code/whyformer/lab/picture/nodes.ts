// Shapes as nodes of the page. A move changes attributes and words that differ from those of the move before, and makes
// or removes a node only where a shape has come or gone: nodes are what a browser takes time for.

import type { Path, Shape, Word } from "./shapes.ts";

const SVG = "http://www.w3.org/2000/svg";

/** What an element shows now. */
const shown = new WeakMap<Element, Shape[]>();

/** Shows shapes in an element, instead of those that it showed last. */
export function show_shapes(parent: Element, shapes: Shape[]): void {
  const before = shown.get(parent) ?? [];
  const now = shapes.filter(({ shape }) => shape !== "image"); // these are canvases, below
  let node = parent.firstElementChild;
  let at = 0;
  const drop = () => {
    const gone = node!;
    node = gone.nextElementSibling;
    at++;
    gone.remove();
  };
  for (const shape of now) {
    if (at + 1 < before.length && !is_kin(before[at], shape) && is_kin(before[at + 1], shape)) drop();
    if (at < before.length && is_kin(before[at], shape)) {
      if (before[at] !== shape) change(node!, shape, before[at]);
      node = node!.nextElementSibling;
      at++;
    } else {
      const made = document.createElementNS(SVG, tag_of(shape));
      change(made, shape);
      parent.insertBefore(made, node);
    }
  }
  while (at < before.length) drop();
  shown.set(parent, now);
}

/** Whether the node of one can become that of the other. */
function is_kin(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.shape === "group") return b.shape === "group" && a.mark === b.mark;
  if (a.shape === "path") return b.shape === "path" && (a.look === b.look || kind_of(a.look) === kind_of(b.look));
  return a.shape === "text" && b.shape === "text" && !a.turn === !b.turn && !a.href === !b.href;
}

const tag_of = (shape: Shape) =>
  shape.shape === "group" ? "g" : shape.shape === "text" && shape.href ? "a" : shape.shape;

/** The first class of a look says what is drawn. */
const kind_of = (look: string) => look.split(" ", 1)[0];

/** Attributes and the fields that they show; what else of a text is written is below. */
const PATH: [string, keyof Path][] = [
  ["class", "look"],
  ["d", "d"],
  ["fill-opacity", "strength"],
  ["stroke-width", "thick"],
  ["fill", "fill"],
];
const WORD: [string, keyof Word][] = [
  ["class", "look"],
  ["font-size", "size"],
  ["text-anchor", "anchor"],
];
const PLACE: [string, keyof Word][] = [
  ["x", "x"],
  ["y", "y"],
];

/** Writes what differs from `before`, which is of the same kind. */
function change(node: Element, shape: Shape, before?: Shape): void {
  if (shape.shape === "path") return write(node, PATH, shape, before as Path);
  if (shape.shape === "group") {
    if (!before) node.setAttribute("data-mark", shape.mark);
    return show_shapes(node, shape.shapes);
  }
  if (shape.shape === "text") change_word(node, shape, before as Word | undefined);
}

function change_word(node: Element, shape: Word, before?: Word): void {
  const { x, y, turn, bold, href, text } = shape;
  if (href) {
    if (href !== before?.href) node.setAttribute("href", href);
    return show_shapes(node, [{ ...shape, href: undefined }]);
  }
  write(node, WORD, shape, before);
  if (!turn) write(node, PLACE, shape, before);
  else if (x !== before?.x || y !== before.y || turn !== before.turn)
    node.setAttribute("transform", `translate(${x} ${y}) rotate(${turn})`);
  if (!bold !== !before?.bold) put(node, "font-weight", bold ? 600 : undefined);
  if (!before) node.append(text);
  else if (text !== before.text) node.firstChild!.nodeValue = text;
}

function write<S>(node: Element, attributes: [string, keyof S][], shape: S, before?: S): void {
  for (const [name, field] of attributes)
    if (shape[field] !== before?.[field]) put(node, name, shape[field] as string | number | undefined);
}

function put(node: Element, name: string, value: string | number | undefined): void {
  if (value === undefined) node.removeAttribute(name);
  else node.setAttribute(name, String(value));
}
