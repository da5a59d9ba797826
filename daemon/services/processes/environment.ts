/** What a command's environment is made of: what it inherits, worked out once, and what is added for it alone. */
import type { Secret } from "../../plugin-api/values.js";
import type { Mask } from "../mask.js";

/** Variables of the service manager for the daemon alone. */
const ownBusiness = new Set([
  "NOTIFY_SOCKET",
  "WATCHDOG_PID",
  "WATCHDOG_USEC",
  "LISTEN_FDS",
  "LISTEN_FDNAMES",
  "LISTEN_PID",
  "CREDENTIALS_DIRECTORY",
  "NODE_CHANNEL_FD",
  "NODE_CHANNEL_SERIALIZATION_MODE",
]);

type Values = Readonly<Record<string, string>>;

export class Environment {
  /** The same object for all commands that inherit the same, so that what is made of it can be kept. */
  readonly inherited: Values;
  /** Has a say over what is inherited. */
  readonly added: Values;

  constructor(inherited: Values, added: Values) {
    this.inherited = inherited;
    this.added = added;
  }

  get(name: string): string | undefined {
    return this.added[name] ?? this.inherited[name];
  }

  /** All of it; without a prototype, since `__proto__` is a name like any other. */
  all(): Record<string, string> {
    return Object.assign(Object.create(null), this.inherited, this.added);
  }

  /** Whether something that is inherited is given anew. */
  get overrides(): boolean {
    for (const name in this.added) if (name in this.inherited) return true;
    return false;
  }
}

/** What programs need to work at all: where programs, files and the user are, and how to write texts and times. */
const USUAL = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR"];
const NONE: readonly string[] = [];

interface Inherited {
  /** From the daemon. @default true */
  readonly inheritEnv?: boolean | undefined;
  readonly envFrom?: readonly string[] | undefined;
}

/** The daemon's own environment, as its commands may see it. */
export class Inheritance {
  readonly #own: NodeJS.ProcessEnv;
  readonly #mask: Mask;
  /** By the names that a command asks for. */
  readonly #known = new Map<string, Values>();
  #secrets = 0;

  constructor(own: NodeJS.ProcessEnv, mask: Mask) {
    this.#own = own;
    this.#mask = mask;
  }

  /** The environment of a command: what it inherits, with `added` over it. Secrets are revealed here. */
  with(
    added: Readonly<Record<string, string | Secret>> = {},
    { inheritEnv = true, envFrom = NONE }: Inherited = {},
  ): Environment {
    const values: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(added)) {
      values[name] = typeof value === "string" ? value : revealed(value, this.#mask);
    }
    return new Environment(this.#inherited(inheritEnv ? [...USUAL, ...envFrom] : envFrom), values);
  }

  /** Anew where a secret has become known, since it may stand in a variable. */
  #inherited(patterns: readonly string[]): Values {
    if (this.#secrets !== this.#mask.size) this.#known.clear();
    this.#secrets = this.#mask.size;
    const key = patterns.join(" ");
    const known = this.#known.get(key);
    if (known) return known;
    const values: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(this.#own)) {
      if (value === undefined || ownBusiness.has(name) || this.#mask.isIn(value)) continue;
      if (patterns.some((pattern) => matches(name, pattern))) values[name] = value;
    }
    this.#known.set(key, values);
    return values;
  }
}

const matches = (name: string, pattern: string): boolean =>
  pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

/** What is handed out is masked from then on. */
export function revealed(secret: Secret, mask: Mask): string {
  const content = secret.reveal();
  mask.add(content);
  return content;
}
