/** `reeve demo`: the dashboard with a daemon to look at, for people who have none yet. */
import { count, defineCommand, flag } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { screenArgument, themeOptions } from "../tui/options.js";

const options = {
  headless: flag(
    "without the dashboard: say where the daemon's socket is, and go on until interrupted",
  ),
  for: count("SECONDS", "end after so many seconds"),
  ...themeOptions,
};

export const command = defineCommand({
  description:
    "Starts a daemon in a directory of its own, with hooks that are called, commands behind a fence, a repository that is kept up to date " +
    "and files that are edited, and opens the dashboard on it. Nothing of the host is touched, only this machine can reach the one port " +
    "that is opened, for a registry of packages, and everything is gone when it ends.",
  arguments: [screenArgument],
  options,
  examples: [
    { command: "reeve demo", does: "opens the dashboard on a daemon that is busy" },
    { command: "reeve demo hooks", does: "begins with the hooks" },
    { command: "reeve demo --headless", does: "only runs it, for other commands to look at" },
  ],
  exits: {
    [Exit.unavailable]: "the daemon of the demonstration did not start",
    [Exit.usage]: "there is no terminal, and --headless was not given",
  },
  async run({ arguments: words, options, output, signal }) {
    const { headless } = options;
    if (!headless && !(process.stdin.isTTY && output.out.isTerminal)) {
      throw new Failure(Exit.usage, "the dashboard needs a terminal for its keys and its output", {
        help: "Use `reeve demo --headless` where there is none.",
      });
    }
    const { openStage, traffic } = await import("./demo/index.js");
    const over = new AbortController();
    const end = () => over.abort();
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
    // Each of them, however often: a terminal that goes says so more than once, and what was started is still to be ended.
    for (const name of signals) process.on(name, end);
    signal.addEventListener("abort", end, { once: true });
    const stage = await openStage();
    const timer = options.for === undefined ? undefined : setTimeout(end, options.for * 1000);
    const busy = traffic(stage, over.signal);
    try {
      if (headless) {
        output.out.line(`reeve top --control ${stage.socket}`);
        await busy;
      } else {
        const { openDashboard } = await import("../tui/open.js");
        const { control } = stage;
        await openDashboard({ ...options, control, output, words, until: over.signal });
      }
      return Exit.ok;
    } finally {
      end();
      clearTimeout(timer);
      await busy;
      await stage.close();
      for (const name of signals) process.off(name, end);
    }
  },
});
