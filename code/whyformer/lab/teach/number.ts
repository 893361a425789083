// A number as readers write one: 0.125, 1/8, sqrt(3.75), ln(64), 2^-3. Twin of number.py, which has the grammar.

const TOKEN = /[ \t]*((?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|sqrt|ln|exp|[-+*/^()√])[ \t]*/y;
const SIGNS: Record<string, string> = { "−": "-", "×": "*", "·": "*", "÷": "/" };
/** A longer text is no answer, so that nothing nests without end. */
const LONGEST = 60;
const NAMED: Record<string, (x: number) => number> = { sqrt: Math.sqrt, ln: Math.log, exp: Math.exp };

/** What Python raises for: NaN goes through all that follows. */
const finite = (value: number): number => (Number.isFinite(value) ? value : NaN);

/** Reads tokens from the first to the last; NaN where they are no number. */
class Reader {
  constructor(readonly tokens: string[]) {}

  private take(...wanted: string[]): string {
    return this.tokens.length && wanted.includes(this.tokens[0]) ? this.tokens.shift()! : "";
  }

  sum(): number {
    let value = this.product();
    for (let sign; (sign = this.take("+", "-"));) value = finite(value + this.product() * (sign === "+" ? 1 : -1));
    return value;
  }

  private product(): number {
    let value = this.signed();
    for (let sign; (sign = this.take("*", "/"));) {
      const other = this.signed();
      value = finite(sign === "*" ? value * other : value / other);
    }
    return value;
  }

  private signed(): number {
    return this.take("+", "-") === "-" ? -this.power() : this.power();
  }

  private power(): number {
    const value = this.atom();
    if (!this.take("^")) return value;
    const exponent = this.signed();
    return Number.isNaN(value) ? NaN : finite(value ** exponent); // NaN ** 0 would be 1
  }

  private atom(): number {
    if (this.take("√")) return finite(Math.sqrt(this.atom()));
    const name = this.take(...Object.keys(NAMED));
    if (this.take("(")) {
      const value = this.sum();
      if (!this.take(")")) return NaN;
      return name ? finite(NAMED[name](value)) : value;
    }
    if (name || !/^[0-9.]/.test(this.tokens[0] ?? "")) return NaN;
    return finite(Number(this.tokens.shift()));
  }
}

/** The number that a text stands for; null if it is none, or if a step of it has no finite value. */
export function value_of(text: string): number | null {
  const plain = text.replace(/[−×·÷]/g, (sign) => SIGNS[sign]);
  if (plain.length === 0 || plain.length > LONGEST) return null;
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < plain.length) {
    const token = TOKEN.exec(plain);
    if (!token) return null;
    tokens.push(token[1]);
  }
  const reader = new Reader(tokens);
  const value = reader.sum();
  return reader.tokens.length === 0 && Number.isFinite(value) ? value : null;
}
