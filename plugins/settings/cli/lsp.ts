/** `reeve settings lsp`: a language server for settings files themselves. */
import { defineCommand, Exit, type ExitCode, Failure } from "reeve/cli";
import { NotAFrame, RpcFrameReader, SettingsServer } from "../offline.js";
import { checkers, isSettingsFile, schemaOption } from "./schema-option.js";

export const command = defineCommand({
  description:
    "Speaks the language server protocol on standard input and output: the faults of `reeve settings check` as one types, " +
    "completion of keys and values, and what a key means. Without --schema it looks at files that are named like a server " +
    "that Reeve knows (zls.json, pyright.jsonc, yaml.settings.jsonc) and leaves all others alone.",
  options: { schema: schemaOption },
  examples: [{ command: "reeve settings lsp", does: "for an editor, never by hand" }],
  async run({ options: { schema }, signal }) {
    const checkerFor = checkers(schema);
    const isOurs = (name: string) => schema !== undefined || isSettingsFile(name);
    const server = new SettingsServer(
      (bytes) => process.stdout.write(bytes),
      async (name) => (isOurs(name) ? checkerFor(name) : undefined),
    );
    const stop = () => process.stdin.destroy();
    signal.addEventListener("abort", stop, { once: true });
    // A wrong --schema is said at once, not with the first file.
    if (schema !== undefined) await checkerFor("");
    return (await serve(server)) as ExitCode;
  },
});

/** Until the editor says that it is over, or is gone. */
async function serve(server: SettingsServer): Promise<number> {
  const reader = new RpcFrameReader();
  try {
    for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
      for (const frame of reader.push(chunk)) {
        const code = await server.take(frame);
        if (code !== undefined) return code;
      }
    }
    return Exit.ok;
  } catch (thrown) {
    if (!(thrown instanceof NotAFrame)) throw thrown;
    throw new Failure(
      Exit.usage,
      `what comes on standard input is not the language server protocol: ${thrown.message}`,
      { help: "This command is for editors, which start it by themselves." },
    );
  }
}
