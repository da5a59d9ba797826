#!/usr/bin/env node
/**
 * `webhook`: serves hooks files like the server of that name. It is not a daemon: it has no state, needs no directory, and
 * starts in the time Node takes. This file composes the hooks plugin's command with parts of the daemon.
 */
import type { WebhookHost } from "../plugins/hooks/webhook/host.js";
import { refusalOf } from "./program/node-version.js";

const nothing = (): void => undefined;
const SILENT = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  child: () => SILENT,
};

const refusal = refusalOf(process.versions.node);
if (refusal === undefined) {
  const { prelude } = await import("./program/prelude.js");
  await prelude();
  const { main } = await import("../plugins/hooks/webhook/main.js");
  await main(process.argv.slice(2), await composeHost());
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 69;
}

async function composeHost(): Promise<WebhookHost> {
  const [version, mask, redact, clock, files, fastest, processes] = await Promise.all([
    import("./program/version.js"),
    import("../daemon/services/mask.js"),
    import("../daemon/services/redact.js"),
    import("../daemon/services/clock.js"),
    import("../daemon/watch/files.js"),
    import("../daemon/services/processes/fastest-spawner.js"),
    import("../daemon/services/processes/processes.js"),
  ]);
  const createMask = () => new mask.Mask();
  return {
    version: version.version(),
    createMask,
    looksSecret: redact.looksSecret,
    openFiles: () => files.createFileService({ log: SILENT, clock: clock.realClock }),
    openProcesses: (temporary, signal) => {
      const spawner = new fastest.FastestSpawner(temporary);
      const cwd = process.cwd();
      // An empty mask: commands get the whole environment, like with the other server.
      const owned = new processes.OwnedProcesses({ mask: createMask(), spawner, cwd, signal });
      return {
        run: (request) => owned.run(request),
        close: async () => {
          await owned.idle();
          await spawner.close();
        },
      };
    },
  };
}
