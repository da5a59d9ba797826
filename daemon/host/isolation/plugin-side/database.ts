/** Tables of the plugin's own. What they need is loaded for plugins that have some. */
import type { Kysely } from "kysely";
import type { Migration } from "../../../plugin-api/state.js";
import type { DatabaseData } from "../methods.js";
import type { HostPeer } from "./host-peer.js";

const kysely = () => import("./kysely.js");

export class Databases {
  readonly #host: HostPeer;
  readonly #migrations = new Map<string, Migration>();

  constructor(host: HostPeer) {
    this.#host = host;
  }

  async open<Tables>(migrations: Readonly<Record<string, Migration>>): Promise<Kysely<Tables>> {
    for (const [name, migration] of Object.entries(migrations)) {
      this.#migrations.set(name, migration);
    }
    const opened = await this.#host.call("database.open", Object.keys(migrations));
    return (await kysely()).kyselyOver<Tables>(this.#host, opened);
  }

  /** The host asks for one step, on the database it names. */
  async migrate(name: string, opened: DatabaseData): Promise<void> {
    const migration = this.#migrations.get(name);
    await migration?.((await kysely()).kyselyOver(this.#host, opened));
  }
}
