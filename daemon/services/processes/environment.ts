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

const nothing: Values = Object.freeze(Object.create(null));

/** The daemon's own environment, as its commands may see it. */
export class Inheritance {
  readonly #own: NodeJS.ProcessEnv;
  readonly #mask: Mask;
  #known: { readonly values: Values; readonly secrets: number } | undefined;

  constructor(own: NodeJS.ProcessEnv, mask: Mask) {
    this.#own = own;
    this.#mask = mask;
  }

  /** The environment of a command: what the daemon has where `inherit`, with `added` over it. Secrets are revealed here. */
  with(added: Readonly<Record<string, string | Secret>> = {}, inherit = true): Environment {
    const values: Record<string, string> = Object.create(null);
    for (const [name, value] of Object.entries(added)) {
      values[name] = typeof value === "string" ? value : revealed(value, this.#mask);
    }
    return new Environment(inherit ? this.#inherited() : nothing, values);
  }

  /** Anew where a secret has become known, since it may stand in a variable. */
  #inherited(): Values {
    const secrets = this.#mask.size;
    if (this.#known?.secrets !== secrets) {
      const values: Record<string, string> = Object.create(null);
      for (const [name, value] of Object.entries(this.#own)) {
        if (value === undefined || ownBusiness.has(name) || this.#mask.has(value)) continue;
        values[name] = value;
      }
      this.#known = { values, secrets };
    }
    return this.#known.values;
  }
}

/** What is handed out is masked from then on. */
export function revealed(secret: Secret, mask: Mask): string {
  const content = secret.reveal();
  mask.add(content);
  return content;
}
