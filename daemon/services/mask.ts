/** Takes secrets out of text, however they are spelled. */
import type { SecretMask } from "./contract.js";

const MASK = "(secret)";
/** Shorter texts occur everywhere. */
const shortest = 4;
/** Lines of a longer secret, such as a key file, are masked one by one as well, unless they are as short as a word. */
const shortestLine = 8;

/** Masks a text that arrives in pieces: what may be the beginning of a secret is held back until more is there. */
export interface MaskStream {
  push(text: string): string;
  /** The rest. */
  end(): string;
}

/** The same for bytes. */
export interface ByteMask {
  push(data: Uint8Array): Uint8Array;
  end(): Uint8Array;
}

const EMPTY = new Uint8Array();

export class Mask implements SecretMask {
  readonly #secrets = new Set<string>();
  readonly #spellings = new Set<string>();
  readonly #initials = new Set<string>();
  #longest = 0;
  #shortest = Number.POSITIVE_INFINITY;
  #pattern: RegExp | undefined;
  /** The same spellings, a character for each byte. */
  #latin: Mask | undefined;
  /** Secrets that it knows. */
  #inBytes = 0;

  add(secret: string): void {
    if (secret.length < shortest || this.#secrets.has(secret)) return;
    this.#secrets.add(secret);
    for (const part of parts(secret)) for (const each of spellings(part)) this.#spell(each);
  }

  #spell(spelling: string): void {
    if (spelling.length < shortest) return;
    this.#spellings.add(spelling);
    this.#initials.add(spelling.charAt(0));
    this.#longest = Math.max(this.#longest, spelling.length);
    this.#shortest = Math.min(this.#shortest, spelling.length);
    this.#pattern = undefined;
  }

  /** How many secrets are known. */
  get size(): number {
    return this.#secrets.size;
  }

  /** Whether `text` is a known secret or has one in it. Short secrets occur in paths by chance. */
  isIn(text: string): boolean {
    if (this.#secrets.has(text)) return true;
    for (const secret of this.#secrets) {
      if (secret.length >= shortestLine && text.includes(secret)) return true;
    }
    return false;
  }

  text(text: string): string {
    if (text.length < this.#shortest) return text;
    this.#pattern ??= alternatives(this.#spellings);
    return text.replace(this.#pattern, MASK);
  }

  stream(): MaskStream {
    let held = "";
    return {
      push: (text) => {
        const whole = held + text;
        const from = this.#mayBegin(whole);
        held = whole.slice(from);
        return this.text(whole.slice(0, from));
      },
      end: () => {
        const rest = this.text(held);
        held = "";
        return rest;
      },
    };
  }

  /** For output of any encoding: only secrets change. Secrets that become known later are not masked. */
  bytes(): ByteMask {
    if (this.size === 0) return { push: (data) => data, end: () => EMPTY };
    const latin = this.#spelledInBytes();
    const stream = latin.stream();
    return {
      push: (data) => Buffer.from(stream.push(Buffer.from(data).toString("latin1")), "latin1"),
      end: () => Buffer.from(stream.end(), "latin1"),
    };
  }

  #spelledInBytes(): Mask {
    if (this.#latin && this.#inBytes === this.size) return this.#latin;
    this.#latin = new Mask();
    this.#inBytes = this.size;
    // The spellings of the text, in bytes; not those of a text with these bytes.
    for (const each of this.#spellings) this.#latin.#spell(Buffer.from(each).toString("latin1"));
    return this.#latin;
  }

  /** Where the first spelling begins that the end of `text` cuts off; its length where none does. */
  #mayBegin(text: string): number {
    const from = Math.max(0, text.length - this.#longest + 1);
    for (let index = from; index < text.length; index++) {
      if (!this.#initials.has(text.charAt(index))) continue;
      const end = text.slice(index);
      for (const spelling of this.#spellings) {
        if (spelling.length > end.length && spelling.startsWith(end)) {
          return this.#startOfWhole(text, index);
        }
      }
    }
    return text.length;
  }

  /** A cut must not go through a secret that is there as a whole. */
  #startOfWhole(text: string, cut: number): number {
    this.#pattern ??= alternatives(this.#spellings);
    for (const match of text.matchAll(this.#pattern)) {
      if (match.index < cut && match.index + match[0].length > cut) return match.index;
    }
    return cut;
  }
}

function parts(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.trim().length >= shortestLine);
  return [secret, secret.trim(), ...lines];
}

function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].flatMap((offset) => {
    const standard = base64Inside(bytes, offset);
    return [standard, standard.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = [
    urlEncoded(secret),
    urlEncoded(secret).replaceAll("%20", "+"),
    new URLSearchParams([["", secret]]).toString().slice(1),
  ];
  const texts = [inJson, inAscii(inJson), inAscii(inJson).replace(codeUnit, upper)];
  return [
    secret,
    ...texts,
    // JSON within JSON, as a body that is kept with its run.
    ...texts.map((text) => JSON.stringify(text).slice(1, -1)),
    ...inUrl,
    ...inUrl.map((text) => text.replace(/%[0-9A-F]{2}/g, (each) => each.toLowerCase())),
    ...base64,
  ];
}

const codeUnit = /(?<=\\u)[0-9a-f]{4}/g;
const upper = (digits: string): string => digits.toUpperCase();

/** As many libraries write JSON: each character beyond ASCII by its number. */
const inAscii = (json: string): string =>
  json.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function urlEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // Half a surrogate pair has no URL spelling.
  }
}

/** The characters that stand for `bytes` alone, wherever in a longer encoded text they are: `offset` bytes after a multiple of three. */
function base64Inside(bytes: Uint8Array, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
  return whole.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
}

/** Longest first, so that a secret within another one does not hide it. */
const alternatives = (texts: Iterable<string>): RegExp =>
  new RegExp(
    [...texts]
      .sort((a, b) => b.length - a.length)
      .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join("|"),
    "g",
  );
