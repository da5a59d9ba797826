/** Programs of tests/programs, npm packages that only tests start; `npm test` installs them. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { fetched } from "./needs.js";

export const programs = fetched("test-programs-*", "the packages of tests/programs");

let packages: Promise<string> | undefined;

/** A path below their `node_modules`, such as `verdaccio/bin/verdaccio`. @throws Error with one sentence */
export async function programPath(path: string): Promise<string> {
  packages ??= promisify(execFile)(process.execPath, [join("scripts", "test-programs.mjs")]).then(
    ({ stdout }) => stdout,
    ({ stderr }: { readonly stderr: string }) => Promise.reject(new Error(stderr.trim())),
  );
  return join(await packages, path);
}
