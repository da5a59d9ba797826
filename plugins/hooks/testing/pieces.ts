/** Pieces of configurations that the tests have in common. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { HooksFixture } from "./fixture.js";

export const SERVER = 'hook_server "main" { listen = "127.0.0.1:0" }\n';
export const hook = (name: string, body: string) => `hook "${name}" {\n${body}\n}\n`;

/** Says which file it waits for, so that the test decides how long it takes. */
export const UNTIL =
  'run = ["sh", "-c", "until [ -e $0 ]; do sleep 0.02; done; echo $1", query.until, query.say ?? "done"]';
export const WAIT = "response { include_output = true }";
export const release = (at: HooksFixture, name: string) => writeFile(join(at.directory, name), "");
