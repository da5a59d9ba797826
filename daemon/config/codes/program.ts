/** Codes of `validate.ts`. Their examples need the plugins of this package. */
import type { ConfigurationCode } from "./entry.js";

export const programCodes = {
  E320: {
    title: "invalid address",
    explanation:
      "An address is `127.0.0.1:9000`, `[::1]:9000`, `:9000` or `unix:/run/name.sock`. Ports end at 65535, and names are not looked up.",
    example: 'hook_server "main" {\n  listen = "localhost:99999"\n}\n',
  },
  E513: {
    title: "address not available",
    explanation:
      "Another process has the address, or this machine does not have it. The daemon cannot listen there.",
    example:
      'hook_server "main" {\n  # An address for documentation, which no machine has.\n  listen = "192.0.2.1:9000"\n}\n',
  },
  E653: {
    title: "database that cannot be used",
    explanation:
      "`daemon { store }` names a database that refuses the daemon, or its address is none. One that cannot be reached is waited for; this one must be corrected. It is read at the daemon's start.",
    example: 'daemon {\n  store = postgres(secret("env:REEVE_EXAMPLE_NOT_SET"))\n}\n',
  },
} as const satisfies Record<string, ConfigurationCode>;
