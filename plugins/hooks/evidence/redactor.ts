/** Redacts credentials, tokens and cookies of a request, wherever their texts occur again. */

const SECRET = "(secret)";
const SENSITIVE =
  /auth(?!or)|cookie|token|secret|signature|password|passwd|hmac|credential|session|jwt|api-?key|^x-amz-security|^(key|sig|pwd|pass|code)$/i;
/** Shorter texts occur by chance. */
const SHORTEST = 6;
/** The same for a part of a value, such as the token after `Bearer`. */
const SHORTEST_PART = 8;

/** A cache: the same few names repeat. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 2000;

function looksSensitive(name: string): boolean {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MOST_KNOWN) known.clear();
  const found = SENSITIVE.test(name);
  known.set(name, found);
  return found;
}

export class Redactor {
  readonly #names: ReadonlySet<string>;
  readonly #texts = new Set<string>();

  /** `names`: lower-case headers that always hold credentials. `secrets`: known texts. */
  constructor(names: Iterable<string> = [], secrets: Iterable<string> = []) {
    this.#names = new Set(names);
    for (const secret of secrets) {
      if (secret.length < SHORTEST) continue;
      this.#add(secret);
      this.#texts.add(encodeURIComponent(secret.toWellFormed()));
      this.#texts.add(Buffer.from(secret).toString("base64"));
    }
  }

  isSensitive(name: string): boolean {
    return this.#names.has(name.toLowerCase()) || looksSensitive(name);
  }

  /** The redacted value of a header or parameter; a hidden one is redacted everywhere from now on. */
  value(name: string, value: string): string {
    if (!this.isSensitive(name)) return value;
    this.#remember(value);
    return SECRET;
  }

  /** The redacted query, otherwise as sent. */
  query(written: string): string {
    if (written === "" || !written.includes("=")) return written;
    return written
      .split("&")
      .map((pair) => {
        const [name = "", ...value] = pair.split("=");
        const text = value.join("=");
        if (value.length === 0 || !this.isSensitive(decoded(name))) return pair;
        this.#remember(text);
        this.#remember(decoded(text));
        return `${name}=${SECRET}`;
      })
      .join("&");
  }

  /** Redacts everything hidden so far. */
  text(text: string): string {
    if (this.#texts.size === 0) return text;
    let shown = text;
    for (const secret of this.#texts) {
      if (shown.includes(secret)) shown = shown.replaceAll(secret, SECRET);
    }
    return shown;
  }

  #remember(value: string): void {
    if (value.length >= SHORTEST) this.#add(value);
    for (const part of value.split(/[\s,;=]+/)) {
      if (part.length >= SHORTEST_PART) this.#add(part);
    }
    const [, basic] = /^basic\s+(\S+)$/i.exec(value) ?? [];
    if (basic === undefined) return;
    const [, password = ""] = Buffer.from(basic, "base64").toString("utf8").split(/:(.*)/s);
    if (password.length >= SHORTEST) this.#add(password);
  }

  #add(text: string): void {
    this.#texts.add(text);
    const quoted = JSON.stringify(text).slice(1, -1);
    if (quoted !== text) this.#texts.add(quoted);
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
