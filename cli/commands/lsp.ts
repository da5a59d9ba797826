/** `reeve lsp`: the language server of configurations. */
import { defineCommand, flag } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { limitHeap } from "../program/heap-limit.js";

export const command = defineCommand({
  description:
    "Speaks the language server protocol on standard input and output: diagnostics while you type, completion, documentation, " +
    "definitions, renaming, formatting. An editor starts it; docs/editors.md shows how. " +
    "The code of declared plugins runs only with --trust-plugins, or where the editor trusts the workspace.",
  options: {
    trustPlugins: flag("load declared plugins: their code runs on this machine"),
    stdio: flag("accepted because many editors pass it"),
  },
  examples: [{ command: "reeve lsp", does: "for an editor, never by hand" }],
  exits: { [Exit.findings]: "the editor disconnected without a shutdown" },
  async run({ options: { trustPlugins } }) {
    limitHeap();
    const { serve } = await import("../lsp/server.js");
    const orderly = await serve({ input: process.stdin, output: process.stdout, trustPlugins });
    return orderly ? Exit.ok : Exit.findings;
  },
});
