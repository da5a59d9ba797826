#!/usr/bin/env node
/** `reeve`. Nothing is imported before the version of Node is known to be one that can run the rest. */
import { refusalOf } from "./program/node-version.js";

const refusal = refusalOf(process.versions.node);
if (refusal === undefined) {
  const { prelude } = await import("./program/prelude.js");
  await prelude();
  const { start } = await import("./program/main.js");
  await start();
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 69;
}
