/** The plugin's side, as seen from the host. */
import { ReeveError } from "../../../errors.js";
import type { HostMethods, PluginMethods } from "../methods.js";
import type { Handlers, Peer } from "../peer.js";

export type PluginPeer = Peer<PluginMethods, HostMethods>;

/** Some of what the host answers. */
export type BridgePart<Name extends keyof HostMethods> = Pick<Handlers<HostMethods>, Name>;

/** Things that the other side knows by a name or number of its own. */
export class Handles<Key, Thing> {
  readonly #what: string;
  readonly #things = new Map<Key, Thing>();

  /** `what` is how a message calls one of them. */
  constructor(what: string) {
    this.#what = what;
  }

  set(key: Key, thing: Thing): void {
    this.#things.set(key, thing);
  }

  delete(key: Key): void {
    this.#things.delete(key);
  }

  /** @throws ReeveError when there is none: it is closed, or never was. */
  get(key: Key): Thing {
    const thing = this.#things.get(key);
    if (thing !== undefined) return thing;
    throw new ReeveError("not_open", `There is no such ${this.#what}.`);
  }

  find(key: Key): Thing | undefined {
    return this.#things.get(key);
  }
}
