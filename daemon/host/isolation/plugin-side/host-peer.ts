/** The host, as seen from the plugin's side. */

import type { HostMethods, PluginMethods } from "../methods.js";
import type { Peer } from "../peer.js";

export type HostPeer = Peer<HostMethods, PluginMethods>;

/** Things the host refers to by number: servers, watches, queues, commands. */
export class Numbered<Thing> {
  readonly #things = new Map<number, Thing>();
  #count = 0;

  add(thing: Thing): number {
    this.#count += 1;
    this.#things.set(this.#count, thing);
    return this.#count;
  }

  get(number: number): Thing | undefined {
    return this.#things.get(number);
  }

  delete(number: number): void {
    this.#things.delete(number);
  }
}
