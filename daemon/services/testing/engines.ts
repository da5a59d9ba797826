/** Both engines behind the same services: what holds on one has to hold on the other. */
import ava, { type ExecutionContext, type TestFn } from "ava";
import { needs, postgres } from "../../../tests/support/needs.js";
import type { DaemonServices, ServiceOptions } from "../contract.js";
import { databaseFor } from "./postgres.js";
import { kitFor, temporaryDirectory } from "./services.js";

/** Where services keep things: opened there again, they find them. */
interface EngineLocation {
  readonly directory: string;
  /** Of the database that daemons share. */
  readonly address?: string;
}

export interface Engine {
  readonly name: "SQLite" | "PostgreSQL";
  /** Skips where the engine is not installed. */
  readonly test: TestFn;
  locationFor(t: ExecutionContext): Promise<EngineLocation>;
  /** Services that are closed when the test ends, in a new place or a given one. */
  kitFor(
    t: ExecutionContext,
    options?: Partial<ServiceOptions>,
    location?: EngineLocation,
  ): Promise<DaemonServices>;
}

export const engines: readonly Engine[] = [
  {
    name: "SQLite",
    test: ava,
    locationFor: async (t) => ({ directory: temporaryDirectory(t) }),
    kitFor: (t, options, location) => kitFor(t, options, location?.directory),
  },
  {
    name: "PostgreSQL",
    test: needs(ava, postgres),
    locationFor: async (t) => ({ directory: temporaryDirectory(t), address: await databaseFor(t) }),
    async kitFor(t, options, location) {
      const { directory, address } = location ?? (await this.locationFor(t));
      const kit = await kitFor(t, options, directory);
      if (address !== undefined)
        await kit.share({ address, lease: 30_000 }, new AbortController().signal);
      return kit;
    },
  },
];
