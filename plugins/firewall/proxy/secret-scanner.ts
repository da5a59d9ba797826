/** Finds known secrets and tokens of well-known services in what a command sends. */
import type { Verdict } from "../policy/policy.js";
import { serviceTokens } from "../policy/service-tokens.js";

export interface KnownSecret {
  /** For messages. */
  readonly name: string;
  readonly value: string;
}

/** Shorter values may be part of other text by accident. */
const shortest = 8;
/** Enough for the recognizable part of every kind of token. */
const shortestOverlap = 512;

export class SecretScanner {
  readonly #known: ReadonlyArray<readonly [form: string, name: string]>;
  readonly #placeholders: readonly string[];
  /** How many bytes at the end of a part may be the start of a secret. */
  readonly overlap: number;

  /** @param placeholders texts that look like tokens, and are none */
  constructor(secrets: readonly KnownSecret[], placeholders: readonly string[]) {
    const usable = secrets.filter(({ value }) => value.length >= shortest);
    this.#known = usable.flatMap(({ name, value }) =>
      formsOf(value).map((form) => [form, name] as const),
    );
    this.#placeholders = placeholders;
    this.overlap = Math.max(shortestOverlap, ...this.#known.map(([form]) => form.length));
  }

  /** The name of the first secret in a text whose characters are bytes. */
  find(written: string): string | undefined {
    let text = written;
    for (const placeholder of this.#placeholders) text = text.replaceAll(placeholder, "");
    const known = this.#known.find(([form]) => text.includes(form));
    if (known) return known[1];
    const [, token] = tokens.exec(text) ?? [];
    return token && serviceTokens.find(({ prefix }) => token.startsWith(prefix))?.name;
  }

  /** The same for a request's URL and headers, with what they encode. */
  findInHead(url: string, rawHeaders: readonly string[]): string | undefined {
    const found = this.find(url) ?? this.find(percentDecoded(url));
    if (found !== undefined) return found;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const value = rawHeaders[index + 1] ?? "";
      const [, encoded] = /^basic +([\w+/=-]+) *$/i.exec(value) ?? [];
      const inBasic = encoded && this.find(Buffer.from(encoded, "base64").toString("latin1"));
      const inHeader = inBasic || this.find(value) || this.find(rawHeaders[index] ?? "");
      if (inHeader) return inHeader;
    }
    return undefined;
  }
}

const tokens = new RegExp(`(${serviceTokens.map(sourceOf).join("|")})`);

/** A letter or digit before a word makes it part of another word. */
function sourceOf({ prefix, rest }: (typeof serviceTokens)[number]): string {
  const start = prefix.startsWith("-") ? "" : "(?<![A-Za-z0-9])";
  return `${start}${prefix.replaceAll(".", "\\.")}${rest}`;
}

/** As it is, in hexadecimal, in URLs, and in base64 at each of the three positions. */
function formsOf(value: string): string[] {
  const bytes = Buffer.from(value);
  const inBase64 = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    // Characters that also depend on the bytes around it.
    return text.slice(Math.ceil((before * 4) / 3), -1);
  });
  const standard = inBase64.map((text) => text.replaceAll("-", "+").replaceAll("_", "/"));
  const forms = [
    bytes.toString("latin1"),
    bytes.toString("hex"),
    encodeURIComponent(value),
    ...inBase64,
    ...standard,
  ];
  return [...new Set(forms)];
}

function percentDecoded(url: string): string {
  return url.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The rule of a request that contains a secret. Its record has neither URL nor user agent. */
export const secretRule = "deny-secret";

/** @param name of a secret that was found */
export function secretRefusal(name: string | undefined): Verdict | undefined {
  if (name === undefined) return undefined;
  return { allowed: false, rule: secretRule, reason: `the request contains a secret (${name})` };
}
