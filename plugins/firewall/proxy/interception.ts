/** How TLS is opened to see whole URLs; made for one run by whoever has its certificate authority. */
import type { SecureContext } from "node:tls";

export interface Interception {
  /** A server identity for the name, signed by the run's own authority. */
  contextFor(name: string): Promise<SecureContext>;
  /** Whom the proxy itself trusts on the far side. */
  readonly trust: SecureContext;
}
