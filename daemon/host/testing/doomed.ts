/** A daemon of its own, for being killed: its plugin `poison` takes it along while it prepares. Run by `deaths.sys.test.ts`. */
import { startDaemon } from "./daemon.js";
import { recorded } from "./recorded.js";

const [folder = "", text = ""] = process.argv.slice(2);

const poison = recorded("poison", () => ({
  prepare: () => {
    process.kill(process.pid, "SIGKILL");
    return { commit: () => undefined };
  },
}));
const daemon = await startDaemon(
  { teardown: () => undefined },
  { folder, builtins: [poison.plugin, recorded("notes").plugin] },
);
await daemon.apply(text);
await daemon.close();
