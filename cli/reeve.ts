#!/usr/bin/env node
/** `reeve`. Nothing is imported before the version of Node is known to be one that can run the rest. */
import { refusalOf } from "./node-version.js";

const refusal = refusalOf(process.versions.node);
if (refusal === undefined) {
  const [{ keepCompiledCode }, { lightenHttp }] = await Promise.all([
    import("./code-cache.js"),
    import("./light-http.js"),
  ]);
  await keepCompiledCode();
  lightenHttp();
  const { start } = await import("./main.js");
  await start();
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 69;
}
