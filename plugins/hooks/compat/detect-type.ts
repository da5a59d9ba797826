/** Detects the content type of a response by its first bytes. */

const TEXT = "text/plain; charset=utf-8";
const HTML = "text/html; charset=utf-8";
const markup: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[ >]/i,
    HTML,
  ],
  [/^\s*<!--/, HTML],
  [/^\s*<\?xml/, "text/xml; charset=utf-8"],
];
const signs: ReadonlyArray<readonly [hex: string, type: string]> = [
  ["255044462d", "application/pdf"],
  ["89504e470d0a1a0a", "image/png"],
  ["474946383761", "image/gif"],
  ["474946383961", "image/gif"],
  ["ffd8ff", "image/jpeg"],
  ["504b0304", "application/zip"],
  ["1f8b08", "application/x-gzip"],
];

/** Text without the signs of a type: nearly every response. */
const PLAIN = /^(?![\s<%G])[\t\n\f\r\x20-\x7e]*$/;

export function detectContentType(body: string | Uint8Array): string {
  if (typeof body === "string" && body.length <= 512 && PLAIN.test(body)) return TEXT;
  const head = Buffer.from(typeof body === "string" ? body.slice(0, 512) : body).subarray(0, 512);
  const text = head.toString("latin1");
  const found = markup.find(([sign]) => sign.test(text));
  if (found) return found[1];
  const hex = head.toString("hex");
  const sign = signs.find(([start]) => hex.startsWith(start));
  if (sign) return sign[1];
  return head.some(isBinary) ? "application/octet-stream" : TEXT;
}

/** Control characters besides tab, line feed, form feed, carriage return and escape. */
const isBinary = (byte: number): boolean =>
  byte < 0x20 && byte !== 9 && byte !== 10 && byte !== 12 && byte !== 13 && byte !== 27;
