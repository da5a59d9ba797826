/** The settings of a server: the daemon's layers and the editor's own. */
import { isDeepStrictEqual } from "node:util";
import { type EffectiveSetting, effective, fullSet } from "../effective/effective.js";
import { isRecord, type Layer } from "../effective/layer.js";
import { Checker } from "../schema/checker.js";
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

export class MergedLayers {
  readonly #preference: Preference;
  #delivery: SettingsPush | undefined;
  #checker: Checker | undefined;
  /** As the editor said it last. */
  #editor: Values = {};

  constructor(preference: Preference) {
    this.#preference = preference;
  }

  /** The name that the settings have in messages; `undefined` as long as nothing has been delivered. */
  get section(): string | undefined {
    return this.#delivery?.server.section;
  }

  set delivery(delivery: SettingsPush) {
    // A schema takes long to compile, and rarely changes.
    const isSame = isDeepStrictEqual(this.#delivery?.server, delivery.server);
    this.#delivery = delivery;
    if (!isSame) this.#checker = new Checker(delivery.server);
  }

  /** Takes over what an editor says, and gives what of it the server would refuse, as sentences. */
  setEditor(said: unknown): readonly string[] {
    if (!isRecord(said)) {
      this.#editor = {};
      return [];
    }
    const checker = this.#checker;
    const refusals = new Map(
      Object.entries(said).flatMap(([key, value]) => {
        if (!checker?.knows(key) || value === null) return [];
        const refusal = checker.refusal(key, value);
        return refusal === undefined ? [] : [[key, refusal] as const];
      }),
    );
    this.#editor = Object.fromEntries(Object.entries(said).filter(([key]) => !refusals.has(key)));
    return [...refusals.values()];
  }

  /** As they are in force for this editor. */
  get settings(): readonly EffectiveSetting[] {
    if (!this.#delivery) return [];
    const { server, layers } = this.#delivery;
    const editor: Layer = { origin: "editor", values: this.#editor };
    const above = this.#preference === "editor" ? ["override"] : ["file", "workspace", "override"];
    const position = layers.findIndex(({ origin }) => above.includes(origin));
    return effective(server, layers.toSpliced(position < 0 ? layers.length : position, 0, editor));
  }

  get fullSet(): Values {
    return fullSet(this.settings);
  }

  /** What to answer where a server asks for a section; `undefined` where it is not ours. */
  answerTo(section: string): { readonly value: unknown } | undefined {
    const own = this.section;
    if (own === undefined) return undefined;
    if (section === own) return { value: this.fullSet };
    if (!section.startsWith(`${own}.`)) return undefined;
    const rest = section.slice(own.length + 1);
    const value = Object.hasOwn(this.fullSet, rest)
      ? this.fullSet[rest]
      : at(this.fullSet, ...rest.split("."));
    return { value: value ?? null };
  }

  /**
   * An editor's `settings`, with what is in force in the place of its own. Servers take them with their section's
   * name around them or without it; what is without it keeps that form.
   */
  into(settings: Values): Values {
    const own = this.section;
    if (own === undefined) return settings;
    return this.#isFlat(settings) ? this.fullSet : { ...settings, [own]: this.fullSet };
  }

  /** The part of an editor's `settings` that is ours; `undefined` where there is none. */
  partOf(settings: Values): unknown {
    const own = this.section;
    if (own === undefined) return undefined;
    if (Object.hasOwn(settings, own)) return settings[own];
    return this.#isFlat(settings) ? settings : undefined;
  }

  /** Of options that may be about anything, those that the schema knows. */
  knownOf(options: unknown): Values {
    const known = this.#delivery?.server.schema.properties ?? {};
    const all = isRecord(options) ? Object.entries(options) : [];
    return Object.fromEntries(all.filter(([key]) => Object.hasOwn(known, key)));
  }

  #isFlat(settings: Values): boolean {
    const own = this.section;
    const keys = Object.keys(settings);
    if (own === undefined || keys.length === 0 || Object.hasOwn(settings, own)) return false;
    const known = this.#delivery?.server.schema.properties ?? {};
    return keys.some((key) => Object.hasOwn(known, key));
  }
}
