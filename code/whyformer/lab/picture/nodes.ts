// Shapes as nodes of the page. A move changes attributes and words that differ from those of the move before, and makes
// or removes a node only where a shape has come or gone: nodes are what a browser takes time for.

import type { Shape } from "./shapes.ts";

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
  if (a.shape === "path") return b.shape === "path" && a.look.split(" ", 1)[0] === b.look.split(" ", 1)[0];
  return a.shape === "text" && b.shape === "text" && !a.turn === !b.turn && !a.href === !b.href;
}

const tag_of = (shape: Shape) =>
  shape.shape === "group" ? "g" : shape.shape === "text" && shape.href ? "a" : shape.shape;

function change(node: Element, shape: Shape, before?: Shape): void {
  const [now, old] = [attributes_of(shape), before && attributes_of(before)];
  for (const name in now) {
    const value = now[name];
    if (value === old?.[name]) continue;
    if (value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, String(value));
  }
  if (shape.shape === "group") show_shapes(node, shape.shapes);
  else if (shape.shape !== "text") return;
  else if (shape.href) show_shapes(node, [{ ...shape, href: undefined }]);
  else if (!before) node.append(shape.text);
  else if (shape.text !== (before as typeof shape).text) node.firstChild!.nodeValue = shape.text;
}

/** The same names for all that are kin. */
function attributes_of(shape: Shape): Record<string, string | number | undefined> {
  switch (shape.shape) {
    case "path": {
      const { look, d, strength, thick, fill } = shape;
      return { class: look, d, "fill-opacity": strength, "stroke-width": thick, fill };
    }
    case "text": {
      const { x, y, size, look, anchor, bold, turn, href } = shape;
      if (href) return { href };
      const style = { class: look, "font-size": size, "text-anchor": anchor, "font-weight": bold ? 600 : undefined };
      return turn ? { transform: `translate(${x} ${y}) rotate(${turn})`, ...style } : { x, y, ...style };
    }
    case "group":
      return { "data-mark": shape.mark };
    case "image":
      return {};
  }
}
