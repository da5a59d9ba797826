/** Runs `scripts/package.mjs`, which makes what people install. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../support/child.js";
import { personal } from "../support/commands.js";
import { eventually } from "../support/eventually.js";
import { program } from "../support/needs.js";

/** What building needs. */
export const executableTools = [program("strip")];
export const imageTools = [
  ...executableTools,
  program("apt-get"),
  program("dpkg-deb"),
  program("flock"),
];

/** What the script made from nothing, in a folder of its own. */
export async function build(
  kind: "npm" | "executable" | "image",
  folder: string,
  name: string,
): Promise<string> {
  const to = join(folder, name);
  await must(process.execPath, ["scripts/package.mjs", to, kind, "none"]);
  return to;
}

/** The same from the run's npm package. */
export async function buildFromPackage(
  kind: "debian" | "executable" | "image",
  folder: string,
  name: string,
): Promise<string> {
  const to = join(folder, name);
  const { made } = await npmPackage();
  await must(process.execPath, ["scripts/package.mjs", to, kind, "none", made]);
  return to;
}

export interface NpmPackage {
  /** What the script made. */
  readonly made: string;
  /** A folder into which npm has installed the package; tests change copies of it (`cp -al`). */
  readonly installed: string;
}

let own: Promise<NpmPackage> | undefined;

/** Reeve's npm package, made and installed once for all files of a run. */
export function npmPackage(): Promise<NpmPackage> {
  own ??= ofRun();
  return own;
}

async function ofRun(): Promise<NpmPackage> {
  const directory = process.env.REEVE_TEST_RUN;
  if (directory === undefined) {
    const home = mkdtempSync(join(tmpdir(), "reeve-package-"));
    process.on("exit", () => rmSync(home, { recursive: true, force: true }));
    return make(home);
  }
  const home = join(directory, "package");
  const done = join(home, "done");
  try {
    mkdirSync(home);
  } catch {
    // Another file makes it.
    const result = await eventually(
      "the npm package of the run",
      () => existsSync(done) && readFileSync(done, "utf8"),
      { within: 200_000, every: 50 },
    );
    const found = JSON.parse(result) as NpmPackage | { readonly error: string };
    if ("error" in found) throw new Error(found.error);
    return found;
  }
  const write = (result: object) => {
    writeFileSync(`${done}.new`, JSON.stringify(result));
    renameSync(`${done}.new`, done);
  };
  try {
    const made = await make(home);
    write(made);
    return made;
  } catch (thrown) {
    write({ error: String(thrown) });
    throw thrown;
  }
}

async function make(home: string): Promise<NpmPackage> {
  const made = await build("npm", home, "made");
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  const archive = `reeve-${version}.tgz`;
  const installed = join(home, "installed");
  mkdirSync(installed);
  // In it, so that its place is the same in each copy.
  copyFileSync(join(made, archive), join(installed, archive));
  writeFileSync(join(installed, "package.json"), '{ "private": true, "type": "module" }');
  const quiet = ["--no-audit", "--no-fund", "--prefer-offline"];
  await must("npm", ["install", ...quiet, archive], { cwd: installed, env: personal });
  return { made, installed };
}

/** Runs a program to its end. @throws Error with its errors if it fails */
export async function must(...call: Parameters<typeof run>): ReturnType<typeof run> {
  const result = await run(...call);
  if (result.code === 0) return result;
  throw new Error(`${call[0]} ended with ${result.code ?? result.signal}: ${result.stderr}`);
}
