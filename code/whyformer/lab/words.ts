// Every sentence that a lab shows is looked up by its English text. Twin of words.py, which explains templates.

const SUPERSCRIPT: Record<string, string> = {
  "-": "⁻",
  "0": "⁰",
  "1": "¹",
  "2": "²",
  "3": "³",
  "4": "⁴",
  "5": "⁵",
  "6": "⁶",
  "7": "⁷",
  "8": "⁸",
  "9": "⁹",
};

/** The catalogue that a page, Jupyter or V8 has put there before this script (words.py: as_script). */
const { WhyformerWords: words = {} } = globalThis as { WhyformerWords?: Record<string, string> };
let catalogue: (text: string) => string = (text) => words[text] || text;
let catalogues = 0;

/** Show other words from now on: a function from English text to its translation. */
export function use_catalogue(lookup: (text: string) => string): void {
  catalogue = lookup;
  catalogues++;
}

/** How many there have been: what was put into words before is in others. */
export function number_of_catalogue(): number {
  return catalogues;
}

export function t(text: string, gaps: Record<string, unknown> = {}): string {
  return catalogue(text).replace(/\{(\w+)(?::([^}]*))?\}/g, (whole, name: string, format?: string) => {
    if (!(name in gaps)) return whole; // braces of a text that is no template, or a gap nobody fills
    const value = gaps[name];
    return typeof value === "number" ? number(value, format ?? "") : String(value);
  });
}

/** A number as the book prints it: format "" (as it is), "d", ".2f", ".2e", ".3g"; a true minus, and 6.7·10⁻¹¹. */
export function number(value: number, format: string): string {
  if (format.includes("|")) return format.split("|")[value === 1 ? 0 : 1];
  if (format.endsWith("%")) return `${number(100 * value, `${format.slice(0, -1)}f`)}${t("\u00a0%")}`;
  if (format.startsWith(",")) return grouped(value, format.slice(1));
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "?";
  const digits = Number(/\.(\d+)/.exec(format)?.[1] ?? 6);
  const kind = format.at(-1);
  if (kind === "f") return minus(value.toFixed(digits));
  if (kind === "e") return power(value.toExponential(digits));
  if (kind !== "g") return minus(String(value));
  if (value === 0) return "0";
  const scientific = value.toExponential(digits - 1);
  const exponent = Number(scientific.split("e")[1]);
  return exponent < -4 || exponent >= digits
    ? power(scientific.replace(/\.?0+e/, "e"))
    : minus(trim(value.toFixed(digits - 1 - exponent)));
}

/** 12,000: by thousands, and with ".3g" noughts for the digits that do not count. */
function grouped(value: number, format: string): string {
  const digits = Number(/\.(\d+)g/.exec(format)?.[1]);
  const text =
    digits && Math.abs(value) >= 1000 ? minus(String(Number(value.toPrecision(digits)))) : number(value, format);
  return text.replace(/\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ","));
}

const minus = (text: string) => text.replace("-", "−");
const trim = (text: string) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);

function power(scientific: string): string {
  const [mantissa, exponent] = scientific.split("e");
  return minus(mantissa) + "·10" + String(Number(exponent)).replace(/./g, (c) => SUPERSCRIPT[c]);
}
