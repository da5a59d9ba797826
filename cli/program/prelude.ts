/** What every command does to its process before anything else is loaded, so that the rest is there sooner. */
import { setFlagsFromString } from "node:v8";
import { keepCompiledCode } from "./code-cache.js";
import { lightenHttp } from "./light-http.js";

/** Called once, before the first import of anything but this. */
export async function prelude(): Promise<void> {
  // Without a listener the signal opens Node's debugger to every user of the machine.
  process.on("SIGUSR1", () => undefined);
  // What a start makes mostly stays, and each growth of what is young looks at all of it once more: so fewer, larger steps.
  setFlagsFromString("--semi-space-growth-factor=4");
  await keepCompiledCode();
  lightenHttp();
}
