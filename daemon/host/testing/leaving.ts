/** A daemon that is killed while its plugin, in a process of its own, hangs. Run by `deaths.sys.test.ts`. */
import { setTimeout } from "node:timers/promises";
import { probe } from "./probed.js";

const [folder = ""] = process.argv.slice(2);
const probed = await probe({ teardown: () => undefined }, "process", "", { folder });
await probed.use("hang");
await setTimeout(100);
const line = `left ${probed.daemon.status("probe")?.pid}\n`;
process.stdout.write(line, () => process.kill(process.pid, "SIGKILL"));
