/** How TLS is opened to see whole URLs; made by `certificates.ts` for one run. */
import type { SecureContext } from "node:tls";

export interface Interception {
  /** A server identity for the name, signed by the run's own authority. */
  contextFor(name: string): Promise<SecureContext>;
}
