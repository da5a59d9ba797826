/** `reeve sandbox list`: the sandboxes of the daemon, and what runs in them. */
import type { SandboxSummary } from "../../../plugins/firewall/offline.js";
import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import type { Channel } from "../../plugin-api/output.js";
import { writeTable } from "../../print/layout.js";
import { duration, size } from "../../print/units.js";
import { sandboxes } from "../../sandbox/ask.js";

export const command = defineCommand({
  description:
    "Counts are since the daemon started. With --json: what `GET /v1/firewall/sandboxes` answers.",
  options: controlOptions,
  examples: [{ command: "reeve sandbox list", does: "lists them, with the commands that run" }],
  exits: controlExits,
  async run({ options, output }) {
    const all = await sandboxes(connect(options));
    if (options.json) output.json({ sandboxes: all });
    else if (all.length === 0) output.err.line("There are no sandboxes. Add a `sandbox` block.");
    else show(output.out, all);
    return Exit.ok;
  },
});

function show(out: Channel, all: readonly SandboxSummary[]): void {
  const count = (title: string, of: (sandbox: SandboxSummary) => number) => ({
    title,
    cell: (sandbox: SandboxSummary) => String(of(sandbox)),
    align: "right" as const,
  });
  writeTable(
    out,
    [
      { title: "SANDBOX", cell: ({ name }) => name },
      count("RUNNING", ({ running }) => running.length),
      count("COMMANDS", ({ commands }) => commands),
      count("ALLOWED", ({ allowed }) => allowed),
      count("DENIED", ({ denied }) => denied),
      { title: "MOVED", cell: ({ bytes }) => size(bytes), align: "right", priority: 1 },
      { title: "ALLOWS", cell: ({ allow }) => allow.join(", "), shrink: 20, priority: 2 },
    ],
    all,
  );
  const running = all.flatMap((sandbox) =>
    sandbox.running.map((each) => ({ ...each, sandbox: sandbox.name })),
  );
  if (running.length === 0) return;
  out.line();
  const now = Date.now();
  writeTable(
    out,
    [
      { title: "SANDBOX", cell: ({ sandbox }) => sandbox },
      { title: "PID", cell: ({ pid }) => String(pid), align: "right" },
      { title: "TIME", cell: ({ since }) => duration(now - since), align: "right" },
      { title: "FOR", cell: ({ label }) => label, shrink: 12, priority: 1 },
      { title: "COMMAND", cell: ({ argv }) => argv.join(" "), shrink: 20 },
    ],
    running,
  );
}
