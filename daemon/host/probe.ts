/** What a configuration needs of this machine: its secrets, its addresses, its database. */
import { type Address, overlap, parseAddress } from "../config/address.js";
import type { HostProbe, Unavailable } from "../config/program.js";
import { errorMessage, ReeveError } from "../errors.js";
import { canListen } from "../http/listeners/bind.js";
import type { SecretMask } from "../services/contract.js";
import { secretResolver } from "./secret-sources.js";

export interface ProbeOptions {
  readonly environment: NodeJS.ProcessEnv;
  readonly lenient?: boolean;
  /** Receives every secret that is read. */
  readonly mask?: SecretMask;
  /** Addresses where the daemon listens already. */
  readonly own?: () => readonly string[];
}

export function hostProbe(options: ProbeOptions): HostProbe {
  const { environment, lenient = false, mask = unmasked, own = () => [] } = options;
  const ask = async (): Promise<never> => {
    throw new ReeveError("not_running", "only a running plugin has it");
  };
  const read = secretResolver({ environment, mask, ask });
  return {
    lenient,
    secret: async (reference) => (/^(env|file):/.test(reference) ? read(reference) : undefined),
    address: async (address) => {
      if (own().some((text) => overlap(parseAddress(text), address))) return undefined;
      return refusalOf(address);
    },
    database: async (address) => {
      // Most configurations share no database.
      const { checkAddress } = await import("../services/shared/connection.js");
      checkAddress(address);
    },
  };
}

const unmasked: SecretMask = { add: () => undefined, text: (text) => text };

async function refusalOf(address: Address): Promise<Unavailable | undefined> {
  if (address.kind === "tcp" && address.port === 0) return undefined;
  try {
    await canListen(address);
    return undefined;
  } catch (thrown) {
    const message = errorMessage(thrown)
      .replace(/\.$/, "")
      .replace(/^Cannot/, "cannot");
    return { message, help: thrown instanceof ReeveError ? thrown.help : undefined };
  }
}
