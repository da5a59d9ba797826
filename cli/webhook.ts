#!/usr/bin/env node
/**
 * `webhook`: serves hooks files the way the server of that name does. It is a server of its own and not a daemon: it has
 * no state, needs no directory, and is up in the time Node takes to start.
 */
import { refusalOf } from "./program/node-version.js";

const refusal = refusalOf(process.versions.node);
if (refusal === undefined) {
  const { prelude } = await import("./program/prelude.js");
  await prelude();
  const { main } = await import("./webhook/main.js");
  await main(process.argv.slice(2));
} else {
  process.stderr.write(`${refusal}\n`);
  process.exitCode = 69;
}
