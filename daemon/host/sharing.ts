/** The database that daemons share is opened before any plugin starts, and stays what it was until the daemon ends. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { createDiagnostic } from "../config/diagnose.js";
import type { DaemonSettings } from "../config/program.js";
import { readSecret, type SecretResolver } from "../config/secrets.js";
import type { SecretValue } from "../config/values/secret.js";
import { errorMessage, ReeveError } from "../errors.js";
import type { DaemonServices } from "../services/contract.js";

export class Sharing {
  readonly #kit: DaemonServices;
  #address: string | undefined;

  constructor(kit: DaemonServices) {
    this.#kit = kit;
  }

  /** Makes it what the settings say; waits for a database that cannot be reached. What is in the way, if anything is. */
  async adopt(
    { store, lease, name }: DaemonSettings,
    resolver: SecretResolver,
    signal: AbortSignal,
  ): Promise<Diagnostic | undefined> {
    try {
      const address = store && (await readSecret(store.postgres as SecretValue, resolver));
      if (address === this.#address) return undefined;
      const database = address === undefined ? undefined : { address, lease, name };
      await this.#kit.share(database, signal);
      this.#address = address;
      return undefined;
    } catch (thrown) {
      const help = thrown instanceof ReeveError ? thrown.help : undefined;
      const message = errorMessage(thrown).replace(/\.$/, "");
      return createDiagnostic(
        "E653",
        store?.location,
        message[0]?.toLowerCase() + message.slice(1),
        {
          help,
        },
      );
    }
  }
}
