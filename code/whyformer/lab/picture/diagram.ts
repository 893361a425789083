// A drawn diagram: boxes and arrows where the lab puts them, in units that shrink where the room is narrow.

import { LABEL, title_of } from "./lettering.ts";
import { width_of } from "./measure.ts";
import type { Diagram, Disc, Point } from "./picture.ts";
import { circle_d, FINGER, path, rect_d, round, text, type Placed, type Shape } from "./shapes.ts";
import { notch_d, tag_d } from "./tokens.ts";

/** Of corners, in units. */
const CORNER = { part: 0.4, block: 0.4, place: 9, word: 0.4, tag: 0.4, notch: 0.4, frame: 0.5, bare: 0 };

export function place_diagram(diagram: Diagram, width: number, em: number): Placed {
  const titled = title_of(diagram.title, undefined, width, em);
  const unit = Math.min(em, width / diagram.width);
  const [left, top] = [(width - diagram.width * unit) / 2, titled.height];
  const placed: Placed = {
    name: diagram.name,
    width,
    height: Math.ceil(top + diagram.height * unit + 0.3 * em),
    words: [
      diagram.title,
      diagram.boxes
        .map((box) => box.text)
        .filter(Boolean)
        .join(", "),
    ]
      .filter(Boolean)
      .join("; "),
    shapes: [...titled.shapes],
    hits: [],
    handles: [],
    tips: [],
    slides: [],
  };
  const at = ([x, y]: Point): Point => [left + x * unit, top + y * unit];
  const group = (mark: string, shapes: Shape[]) => placed.shapes.push({ shape: "group", mark, shapes });
  const frames = diagram.boxes.filter((box) => box.look === "frame");
  for (const box of [...frames, ...diagram.boxes.filter((each) => each.look !== "frame")]) {
    const [x, y] = at([box.x, box.y]);
    const [wide, high] = [box.width * unit, box.height * unit];
    const corner = CORNER[box.look] * unit;
    const outline = { tag: tag_d, notch: notch_d }[box.look as string] ?? rect_d;
    const shapes: Shape[] = [];
    const pressed = box.pressed ? " wf-pressed" : "";
    if (box.look !== "bare")
      shapes.push(
        path(outline(x, y, wide, high, corner), `wf-box wf-box-${box.look} wf-${box.colour ?? "soft"}${pressed}`, {
          thick: box.edge === undefined ? undefined : round(box.edge * unit),
        }),
      );
    if (box.text) {
      const size = Math.min((box.look === "word" ? 1 : LABEL) * unit, (wide - 0.2 * unit) / width_of(box.text, true));
      const look = `wf-box-text${pressed ? " wf-pressed-text" : ""}`;
      shapes.push(
        text(x + wide / 2, y + high / 2 + 0.35 * size, box.text, size, {
          anchor: "middle",
          look,
          bold: box.pressed || box.bold,
        }),
      );
    }
    if (box.look === "frame") placed.shapes.splice(titled.shapes.length, 0, { shape: "group", mark: box.name, shapes });
    else group(box.name, shapes);
    if (box.set)
      placed.hits.push({ x, y, width: wide, height: high, set: box.set, label: box.text, pressed: box.pressed });
  }
  const wires: Shape[] = diagram.wires.map((wire) => {
    const points = wire.points.map(at);
    const thick = (wire.thick ?? 0.11) * unit;
    const look = `wf-wire wf-${wire.colour ?? "soft"}${wire.faint ? " wf-faint" : ""}`;
    const [[x0, y0], [x1, y1]] = points.slice(-2);
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const head = wire.tip === false ? 0 : 0.34 * unit + 0.6 * thick;
    const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
    const end: Point = [x1 - head * ux, y1 - head * uy];
    const xy = ([x, y]: Point) => `${round(x)},${round(y)}`;
    const all = [...points.slice(0, -1), end];
    const d = wire.curve ? `M${xy(all[0])}C${all.slice(1).map(xy).join(" ")}` : `M${all.map(xy).join("L")}`;
    const shapes: Shape[] = [path(d, look, { thick: round(thick) })];
    if (head) {
      const wing = (side: number): Point => [end[0] - side * 0.6 * head * uy, end[1] + side * 0.6 * head * ux];
      const [tip, one, other] = [[x1, y1] as Point, wing(1), wing(-1)];
      shapes.push(path(`M${xy(one)}L${xy(tip)}L${xy(other)}z`, look.replace("wf-wire", "wf-wire-tip")));
    }
    return { shape: "group", mark: wire.name, shapes };
  });
  const boxes_at = placed.shapes.findIndex(
    (shape) => shape.shape === "group" && !frames.some((box) => box.name === shape.mark),
  );
  placed.shapes.splice(boxes_at < 0 ? placed.shapes.length : boxes_at, 0, ...wires);
  for (const label of diagram.labels) {
    const [x, y] = at([label.x, label.y]);
    const size = (label.size ?? LABEL) * unit;
    const look = `${label.colour ? `wf-label wf-${label.colour}` : "wf-note wf-note-hint"}${label.over ? " wf-over" : ""}`;
    group(label.name, [
      text(x, y + 0.35 * size, label.text, size, { anchor: label.anchor ?? "middle", look, bold: label.bold }),
    ]);
  }
  for (const disc of diagram.discs ?? []) group(disc.name, draw_disc(disc, at, unit, em, placed));
  return placed;
}

const RADIUS = 0.95; // of a disc, in units

/** With a point to each side, and a slider over all that the drag takes. */
function draw_disc(disc: Disc, at: (point: Point) => Point, unit: number, em: number, placed: Placed): Shape[] {
  const { control, least, most, step, label, said } = disc;
  const share = (disc.at - least[1]) / (most[1] - least[1]);
  const [x, y] = at([least[0] + share * (most[0] - least[0]), disc.y]);
  const [left, top] = at([least[0], disc.top]);
  const [right, bottom] = at([most[0], disc.bottom]);
  const count = Math.round((most[1] - least[1]) / step);
  const stops = Array.from({ length: count + 1 }, (_, i) => ({
    at: left + (i / count) * (right - left),
    value: least[1] + i * step,
  }));
  const area = { x: left - FINGER, y: top, width: right - left + 2 * FINGER, height: bottom - top };
  const native = {
    ...{ x: x - FINGER, y: y - FINGER, width: 2 * FINGER, height: 2 * FINGER },
    ...{ min: least[1], max: most[1], step, value: disc.at },
  };
  placed.slides.push({ control, stops, now: disc.at, native, label, said, ...area });
  const r = RADIUS * unit;
  const point = (side: number) =>
    `M${round(x + side * (r + 0.3 * unit))},${round(y - 0.32 * unit)}L${round(x + side * (r + 0.65 * unit))},${round(y)}L${round(x + side * (r + 0.3 * unit))},${round(y + 0.32 * unit)}`;
  const ends = [
    [-1, least[1]],
    [1, most[1]],
  ];
  const points = ends.filter(([, end]) => end !== disc.at).map(([side]) => point(side));
  return [
    path(circle_d(x, y, r), "wf-knob"),
    path(points.join(""), "wf-disc-points"),
    text(x, y + 0.36 * unit, disc.text, Math.min(em, unit), { anchor: "middle", look: "wf-disc-text", bold: true }),
  ];
}
