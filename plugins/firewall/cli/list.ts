/** `reeve sandbox list`: the sandboxes of the daemon, and what runs in them. */
import {
  type Channel,
  controlExits,
  controlOptions,
  defineCommand,
  duration,
  Exit,
  size,
  writeTable,
} from "reeve/cli";
import type { SandboxSummary } from "../offline.js";
import { sandboxes } from "./requests.js";

export const command = defineCommand({
  description:
    "Counts are since the daemon started. With --json: what `GET /v1/firewall/sandboxes` answers.",
  options: controlOptions,
  examples: [{ command: "reeve sandbox list", does: "lists them, with the commands that run" }],
  exits: controlExits,
  async run({ options, output, control }) {
    const all = await sandboxes(control);
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
