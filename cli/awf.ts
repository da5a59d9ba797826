#!/usr/bin/env node
/** `awf`: runs a command behind a network filter. All of it is in `plugins/firewall`; this is the entry point. */
import { readFileSync } from "node:fs";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `awf needs Node.js 24.12 or newer and this is ${process.versions.node}; install a newer one and run it again.\n`,
  );
  process.exit(1);
}

const [{ prelude }, { keepStdinUnread: leaveInputAlone }] = await Promise.all([
  import("./program/prelude.js"),
  import("./awf/stdin-passthrough.js"),
]);
leaveInputAlone();
await prelude();
const { main } = await import("../plugins/firewall/command/main.js");
const { version } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
) as { version: string };
// Open handles belong to a command that has ended.
process.exit(
  await main(
    process.argv.slice(2),
    version,
    {
      read: async (path, name) => {
        const { readSandboxFile } = await import("./awf/sandbox-file.js");
        return readSandboxFile(path, name);
      },
      edit: async (...request) => {
        const { editSandbox } = await import("./awf/edit-sandbox.js");
        return editSandbox(...request);
      },
    },
    {
      summary: async (overview) => {
        const { logPage } = await import("./awf/log-page.js");
        return logPage(overview, Date.now());
      },
    },
  ),
);
