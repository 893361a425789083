// Base64 (RFC 4648, section 4), in pages and where there is no document.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, DIGITS.indexOf(String.fromCharCode(code))));

export function to_base64(bytes: ArrayLike<number>): string {
  let out = "";
  for (let i = 0; i < bytes.length; i += 3) {
    const n = (bytes[i] << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    for (let k = 0; k < 4; k++) out += i + k <= bytes.length ? DIGITS[(n >> (18 - 6 * k)) & 63] : "=";
  }
  return out;
}

export function from_base64(text: string): Uint8Array<ArrayBuffer> {
  const length = text.replace(/=+$/, "").length;
  const bytes = new Uint8Array(Math.floor((length * 3) / 4));
  for (let i = 0, at = 0; i < length; i += 4) {
    let n = 0;
    for (let k = 0; k < 4; k++) n = (n << 6) | (i + k < length ? VALUES[text.charCodeAt(i + k)] : 0);
    for (let shift = 16; shift >= 0 && at < bytes.length; shift -= 8) bytes[at++] = (n >> shift) & 255;
  }
  return bytes;
}
