/** `reeve demo`: the dashboard with a demonstration daemon. */
import { count, defineCommand, flag } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { screenArgument, themeOptions } from "../tui/options.js";

const options = {
  headless: flag("without the dashboard: print the daemon's socket and run until interrupted"),
  for: count("SECONDS", "stop after this many seconds"),
  ...themeOptions,
};

export const command = defineCommand({
  description:
    "Starts a daemon in a temporary directory, with incoming requests, sandboxed commands, a repository with updates " +
    "and edited settings files, and opens the dashboard on it. It changes nothing else on the host; its one port, for a package " +
    "registry, is reachable from this machine only. Everything is removed at the end.",
  arguments: [screenArgument],
  options,
  examples: [
    { command: "reeve demo", does: "opens the dashboard on a busy daemon" },
    { command: "reeve demo hooks", does: "starts on the hooks screen" },
    { command: "reeve demo --headless", does: "only runs the daemon, for other commands" },
  ],
  exits: {
    [Exit.unavailable]: "the demonstration daemon did not start",
    [Exit.usage]: "there is no terminal, and --headless was not given",
  },
  async run({ arguments: words, options, output, signal }) {
    const { headless } = options;
    if (!headless && !(process.stdin.isTTY && output.out.isTerminal)) {
      throw new Failure(Exit.usage, "the dashboard needs a terminal", {
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
