/** Opens the database that daemons share, before any plugin starts. It cannot change until the daemon restarts. */
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

  /** Opens what the settings name; waits while the database is unreachable. Resolves with a diagnostic where it cannot be used. */
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
      const what = message[0]?.toLowerCase() + message.slice(1);
      return { ...createDiagnostic("E653", store?.location, what, { help }), host: true };
    }
  }
}
