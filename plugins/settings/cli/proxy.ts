/** `reeve settings proxy`: between an editor and a language server. */

import { basename } from "node:path";
import {
  choice,
  controlOptions,
  defineCommand,
  Exit,
  type ExitCode,
  Failure,
  reasonOf,
  text,
} from "reeve/cli";
import { runProxy, serverOfProgram } from "../offline.js";
import { feed } from "./feed.js";

export const command = defineCommand({
  description:
    "Speaks the language server protocol on standard input and output: give it to an editor in the place of the server. " +
    "Settings of the daemon reach the server when it asks for them and whenever they change; everything else goes by " +
    "byte for byte. An editor's own settings stay a layer of their own. Without a daemon the server works as it would " +
    "alone. A server that dies is started again, up to five times in three minutes. It ends with the server's exit code.",
  arguments: [
    {
      name: "COMMAND",
      summary: "the server's program and arguments",
      required: true,
      variadic: true,
    },
  ],
  options: {
    name: text("NAME", "which `settings` block (default: that of the program or of its server)"),
    prefer: choice(["editor", "files"], "which layer wins where both set a key", {
      fallback: "editor",
    }),
    control: controlOptions.control,
  },
  examples: [
    {
      command: "reeve settings proxy -- zls",
      does: 'runs zls with the settings of `settings "zls"`',
    },
    {
      command: "reeve settings proxy -- pyright-langserver --stdio",
      does: 'runs Pyright with the settings of `settings "pyright"`',
    },
    {
      command: "reeve settings proxy --name python -- pyright-langserver --stdio",
      does: "with those of another name",
    },
  ],
  exits: { [Exit.unavailable]: "the server cannot be started" },
  async run({ arguments: [program = "", ...args], options, output, signal, control }) {
    const say = (sentence: string) => output.err.line(`reeve settings proxy: ${sentence}`);
    const own = basename(program);
    const names = [
      ...new Set(options.name === undefined ? [own, serverOfProgram(own)] : [options.name]),
    ];
    const ending = new AbortController();
    const end = () => ending.abort();
    process.once("SIGTERM", end).once("SIGINT", end).once("SIGHUP", end);
    try {
      return (await runProxy({
        argv: [program, ...args],
        preference: options.prefer,
        input: process.stdin,
        output: process.stdout,
        say,
        feed: (deliver, over) => feed(control, names, deliver, { signal: over, say, server: own }),
        signal: AbortSignal.any([signal, ending.signal]),
      })) as ExitCode;
    } catch (thrown) {
      throw new Failure(Exit.unavailable, `\`${program}\` cannot be started: ${reasonOf(thrown)}`, {
        cause: thrown,
      });
    }
  },
});
