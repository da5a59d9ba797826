/** The settings of a server: the daemon's layers and the editor's own. */
import { isDeepStrictEqual } from "node:util";
import { type EffectiveSetting, effective, fullSet } from "../effective/effective.js";
import { isRecord, type Layer } from "../effective/layer.js";
import { Checker } from "../schema/checker.js";
import { below, nested, withValue } from "../schema/dotted-keys.js";
import type { Server } from "../servers/server.js";
import { at } from "./message.js";

/** The settings that the daemon hands to a proxy. */
export interface SettingsPush {
  readonly name: string;
  readonly version: number;
  readonly server: Server;
  /** From the lowest to the highest. */
  readonly layers: readonly Layer[];
}

/** Precedence between editor and files. An override in the configuration wins over both. */
export type Preference = "editor" | "files";

type Values = Readonly<Record<string, unknown>>;

/** One question of a server. */
export interface SettingsItem {
  readonly section: string | undefined;
  /** The workspace folder or document that it is about. */
  readonly scope: string | undefined;
}

/** Of a question's parameters. */
export function itemOf(item: unknown): SettingsItem {
  const section = at(item, "section");
  const scope = at(item, "scopeUri");
  return {
    section: typeof section === "string" ? section : undefined,
    scope: typeof scope === "string" ? scope : undefined,
  };
}

/** Scopes whose settings are kept; some servers ask for each document. */
const SCOPES = 1_000;

export class MergedLayers {
  readonly #preference: Preference;
  #delivery: SettingsPush | undefined;
  #checker: Checker | undefined;
  /** As the editor said it last, by key. */
  #editor: Values = {};
  /** What it said of single scopes. */
  readonly #scopes = new Map<string, Values>();

  constructor(preference: Preference) {
    this.#preference = preference;
  }

  /** Whether the daemon has delivered. */
  get isDelivered(): boolean {
    return this.#delivery !== undefined;
  }

  set delivery(delivery: SettingsPush) {
    // A schema takes long to compile, and rarely changes.
    const isSame = isDeepStrictEqual(this.#delivery?.server, delivery.server);
    this.#delivery = delivery;
    if (!isSame) this.#checker = new Checker(delivery.server);
  }

  /**
   * Takes over what an editor says of an item, and gives what of it the server would refuse, as sentences. `null`, and no
   * answer at all, say nothing: what the editor said before stays.
   */
  setEditor(said: unknown, { section, scope }: SettingsItem = WHOLE): readonly string[] {
    const path = this.#pathOf(section);
    const checker = this.#checker;
    if (!path || !checker || said === null || said === undefined) return [];
    const whole = below(path, said);
    if (!isRecord(whole)) return [];
    const values = checker.keys.flat(whole);
    const refusals = new Map(
      Object.entries(values).flatMap(([key, value]) => {
        if (!checker.knows(key) || value === null) return [];
        const refusal = checker.refusal(key, value);
        return refusal === undefined ? [] : [[key, refusal] as const];
      }),
    );
    const accepted = Object.fromEntries(
      Object.entries(values).filter(([key]) => !refusals.has(key)),
    );
    const before = scope === undefined ? this.#editor : (this.#scopes.get(scope) ?? {});
    const after = { ...outside(before, path), ...accepted };
    if (scope === undefined) this.#editor = after;
    else this.#setScope(scope, after);
    return [...refusals.values()];
  }

  #setScope(scope: string, values: Values): void {
    this.#scopes.delete(scope);
    this.#scopes.set(scope, values);
    if (this.#scopes.size > SCOPES) this.#scopes.delete([...this.#scopes.keys()][0] as string);
  }

  /** As they are in force for this editor, in all scopes: what a push says. */
  get settings(): readonly EffectiveSetting[] {
    const [first = {}, ...others] = this.#scopes.values();
    const common = Object.entries(first).filter(([key, value]) =>
      others.every((each) => isDeepStrictEqual(each[key], value)),
    );
    return this.#settingsWith({ ...this.#editor, ...Object.fromEntries(common) });
  }

  #settingsWith(values: Values): readonly EffectiveSetting[] {
    if (!this.#delivery) return [];
    const { server, layers } = this.#delivery;
    const editor: Layer = { origin: "editor", values };
    const above = this.#preference === "editor" ? ["override"] : ["file", "workspace", "override"];
    const position = layers.findIndex(({ origin }) => above.includes(origin));
    return effective(server, layers.toSpliced(position < 0 ? layers.length : position, 0, editor));
  }

  /** The `settings` of a push: all that is set, below the section. */
  get pushed(): Values {
    return below(this.#section, this.#fullSet) as Values;
  }

  get #fullSet(): Values {
    return nested(fullSet(this.settings));
  }

  /** What to answer where a server asks for an item; `undefined` where it is not ours. */
  answerTo({ section, scope }: SettingsItem): { readonly value: unknown } | undefined {
    const path = this.#pathOf(section);
    if (section === undefined || !path) return undefined;
    const scoped = scope === undefined ? undefined : this.#scopes.get(scope);
    const settings = this.#settingsWith({ ...this.#editor, ...scoped });
    return { value: at(nested(fullSet(settings)), ...path) ?? null };
  }

  /**
   * An editor's `settings`, with what is in force in the place of its own. Servers take them with their section's
   * name around them or without it; what is without it keeps that form.
   */
  into(settings: Values): Values {
    if (this.#isFlat(settings)) return this.#fullSet;
    const { section = "" } = this.#delivery?.server ?? {};
    if (Object.hasOwn(settings, section)) return { ...settings, [section]: this.#fullSet };
    return withValue(settings, this.#section, this.#fullSet);
  }

  /** The part of an editor's `settings` that is ours; `undefined` where there is none. */
  partOf(settings: Values): unknown {
    const { section } = this.#delivery?.server ?? {};
    if (section === undefined) return undefined;
    if (section === "") {
      const covers = (key: string) => this.#checker?.keys.covers(key);
      return Object.fromEntries(Object.entries(settings).filter(([key]) => covers(key)));
    }
    if (Object.hasOwn(settings, section)) return settings[section];
    return this.#isFlat(settings) ? settings : at(settings, ...this.#section);
  }

  /** Of options that may be about anything, those that the schema knows. */
  knownOf(options: unknown): Values {
    const known = this.#delivery?.server.schema.properties ?? {};
    const all = isRecord(options) ? Object.entries(this.#checker?.keys.flat(options) ?? {}) : [];
    return Object.fromEntries(all.filter(([key]) => Object.hasOwn(known, key)));
  }

  get #section(): readonly string[] {
    return this.#delivery?.server.section.split(".").filter(Boolean) ?? [];
  }

  /** The path of a section below that of the server; `undefined` where it is another's. */
  #pathOf(section: string | undefined): readonly string[] | undefined {
    const own = this.#delivery?.server.section;
    if (own === undefined) return undefined;
    if (section === undefined || section === own) return [];
    if (own === "") return this.#checker?.keys.covers(section) ? section.split(".") : undefined;
    return section.startsWith(`${own}.`) ? section.slice(own.length + 1).split(".") : undefined;
  }

  #isFlat(settings: Values): boolean {
    const { section = "", schema } = this.#delivery?.server ?? {};
    const keys = Object.keys(settings);
    if (section === "" || keys.length === 0 || Object.hasOwn(settings, section)) return false;
    return keys.some((key) => Object.hasOwn(schema?.properties ?? {}, key));
  }
}

const WHOLE: SettingsItem = { section: undefined, scope: undefined };

/** Without what is at or below a path. */
function outside(values: Values, path: readonly string[]): Values {
  const key = path.join(".");
  return path.length === 0
    ? {}
    : Object.fromEntries(
        Object.entries(values).filter(([each]) => each !== key && !each.startsWith(`${key}.`)),
      );
}
