/** `reeve web`: the dashboard in a browser. */
import { errorMessage } from "../../daemon/errors.js";
import { connect } from "../control/client.js";
import { controlExits, controlOptions } from "../control/option.js";
import { count, defineCommand, flag } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";

const options = {
  control: controlOptions.control,
  port: count("PORT", "the port on 127.0.0.1 (default: any free one)", { fallback: 0 }),
  interval: count("SECONDS", "how often to look (default: 1)", { fallback: 1 }),
  readOnly: flag("without any action that changes something"),
  ip: flag("name the host 127.0.0.1, for browsers that do not resolve names below localhost"),
};

export const command = defineCommand({
  description:
    "Serves the screens of `reeve top` to a browser on this host until Ctrl-C. " +
    "It prints an address that is good for one use within a minute; Enter prints another one. " +
    "The page has the actions of `reeve top`. It uses the control socket with your rights.",
  options,
  examples: [
    { command: "reeve web", does: "prints the address of the page" },
    { command: "reeve web --port 8080", does: "always uses the same port" },
  ],
  exits: {
    [Exit.temporary]: "the port is taken",
    ...controlExits,
  },
  async run({ options: { port, interval, ip, readOnly, ...own }, output, signal }) {
    if (port > 65_535) throw new Failure(Exit.usage, "--port must be 65535 or less");
    const [{ serveWeb }, { loadScreens }] = await Promise.all([
      import("../web/server.js"),
      import("../tui/screens/load.js"),
    ]);
    const control = connect(own);
    const screens = await loadScreens(await control.status());
    const server = await serveWeb({
      ...{ control, screens, port, usesAddress: ip, readOnly },
      interval: Math.max(1, interval) * 1000,
    }).catch((thrown: unknown) => {
      throw new Failure(Exit.temporary, `cannot listen on port ${port}: ${errorMessage(thrown)}`, {
        help: "Choose another one with `--port`.",
      });
    });
    const print = () => output.out.line(server.address());
    print();
    const { stdin } = process;
    if (stdin.isTTY) stdin.on("data", print);
    const ended = Promise.withResolvers<void>();
    const end = () => ended.resolve();
    process.once("SIGINT", end).once("SIGTERM", end);
    signal.addEventListener("abort", end, { once: true });
    await ended.promise;
    stdin.off("data", print);
    stdin.pause();
    await server.close();
    return Exit.ok;
  },
});
