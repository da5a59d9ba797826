/** `reeve top`: the dashboard. What draws it loads only on a terminal. */

import { connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { type Call, defineCommand, flag } from "../plugin-api/command.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import { screenArgument, screenNamed, themeOptions } from "../tui/options.js";

const options = {
  once: flag("print it once as plain text and exit"),
  plain: flag("for screen readers: lines only, and commands that are written"),
  watch: flag("print one JSON document a line, at every interval"),
  ...themeOptions,
  ...controlOptions,
};

export const command = defineCommand({
  description:
    "Shows the daemon, its plugins, runs and events live until `q`. `?` lists the keys. " +
    "Actions need a confirmation. It reconnects to a restarted daemon. " +
    "--plain prints lines only: events as sentences, and answers to written commands. " +
    "Without a terminal: --once prints tables, --json one document with all data, --watch such documents, one a line.",
  arguments: [screenArgument],
  options,
  examples: [
    { command: "reeve top", does: "opens the dashboard" },
    { command: "reeve top config --read-only", does: "opens the generations, read-only" },
    { command: "reeve top --once hooks", does: "prints the hooks once, as text" },
    { command: "reeve top --plain", does: "reads what happens, for a screen reader" },
    { command: "reeve top --json | jq .status.state", does: "prints the state of the daemon" },
  ],
  exits: {
    [Exit.usage]: "there is no terminal, and none of --once, --json and --watch",
    ...controlExits,
  },
  async run(call) {
    if (call.options.watch) return watching(call);
    if (call.options.plain || (process.env.INK_SCREEN_READER === "true" && !isDocument(call))) {
      return plain(call);
    }
    if (call.options.json || call.options.once) return once(call);
    if (!process.stdin.isTTY || !call.output.out.isTerminal) {
      throw new Failure(Exit.usage, "the dashboard needs a terminal", {
        help: "Use `reeve top --once`, `--json` or `--watch` where there is none.",
      });
    }
    const { openDashboard } = await import("../tui/open.js");
    await openDashboard({
      ...call.options,
      control: connect(call.options),
      output: call.output,
      words: call.arguments,
    });
    return Exit.ok;
  },
});

type TopCall = Call<typeof options>;

const isDocument = ({ options: { json, once } }: TopCall): boolean => json || once;

async function plain({ arguments: words, options, output, signal }: TopCall): Promise<ExitCode> {
  const { openPlain } = await import("../tui/plain/open-plain.js");
  await openPlain({
    ...options,
    control: connect(options),
    screen: screenNamed(words) ?? "overview",
    write: (line) => output.out.line(line),
    signal,
  });
  return Exit.ok;
}

async function once({ arguments: words, options, output }: TopCall): Promise<ExitCode> {
  const { documentOf, fetchOnce } = await import("../tui/plain/document.js");
  const { loadScreens } = await import("../tui/screens/load.js");
  const control = connect(options);
  const screens = await loadScreens(await control.status());
  const model = await fetchOnce(control, screens);
  if (options.json) {
    output.json(documentOf(model, screens));
    return Exit.ok;
  }
  const [{ plainText }, { chooseThemes }, { toAscii }] = await Promise.all([
    import("../tui/plain/tables.js"),
    import("../tui/choose-theme.js"),
    import("../tui/view/ascii.js"),
  ]);
  const { isTerminal, columns, colour } = output.out;
  // Nothing paints the background here: the colors are those of the terminal.
  const depth = colour ? 4 : 0;
  const terminal = { depth, unicode: !options.ascii } as const;
  const request = { name: options.theme, environment: process.env, terminal };
  const [theme] = await chooseThemes(request);
  const text = plainText(model, {
    screen: screenNamed(words),
    screens,
    width: isTerminal ? columns : 160,
    theme,
  });
  output.out.write(options.ascii ? toAscii(text) : text);
  return Exit.ok;
}

/** Until the reader of the output has gone, or the daemon. */
async function watching({ options, output, signal }: TopCall): Promise<ExitCode> {
  const { documentOf, fetchOnce } = await import("../tui/plain/document.js");
  const { loadScreens } = await import("../tui/screens/load.js");
  const { pause } = await import("../tui/model/source.js");
  const control = connect(options);
  const screens = await loadScreens(await control.status());
  while (!signal.aborted) {
    output.out.line(JSON.stringify(documentOf(await fetchOnce(control, screens), screens)));
    await pause(Math.max(1, options.interval) * 1000, signal);
  }
  return Exit.ok;
}
