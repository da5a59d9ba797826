// pnpm 12, which is a program for each kind of machine and no script any more. As a dependency it would name packages of machines
// that not every registry has, so it is brought here once, checked, and kept below node_modules. Started as a program it says where.
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

const VERSION = "12.21.0";
const SHA512 = {
  pnpm: "Zv2CeO4ok1zpUXktNDZ/869cQyonVkRYIwKVM4NbjaUpu+C+UTCv1W7QcT+4eJ5Hutgtk71a4v5UsVVi1idu8A==",
  "@pnpm/exe.linux-x64":
    "8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==",
  "@pnpm/exe.linux-arm64":
    "4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==",
};
const CACHE = fileURLToPath(new URL("../node_modules/.cache/reeve", import.meta.url));
const PLACE = join(CACHE, `pnpm-${VERSION}`);

/** Returns the directory with both packages, each under its own name. Several processes may ask at once. */
export function pnpm12() {
  if (existsSync(PLACE)) return PLACE;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, ".new-"));
  try {
    for (const name of ["pnpm", `@pnpm/exe.${process.platform}-${process.arch}`])
      unpack(name, fresh);
    try {
      renameSync(fresh, PLACE);
    } catch (thrown) {
      if (!existsSync(PLACE)) throw thrown;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return PLACE;
}

function unpack(name, fresh) {
  const directory = join(fresh, name);
  mkdirSync(directory, { recursive: true });
  run(name, "npm", ["pack", "--silent", `${name}@${VERSION}`], directory);
  const [archive] = readdirSync(directory);
  const digest = createHash("sha512").update(readFileSync(join(directory, archive)));
  if (digest.digest("base64") !== SHA512[name])
    throw new Error(
      `${name} ${VERSION}, which tests need, is not what it was when they were written.`,
    );
  run(name, "tar", ["-xzf", archive, "--strip-components=1"], directory);
  rmSync(join(directory, archive));
}

function run(name, program, args, cwd) {
  const { status, error, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status === 0) return;
  const why = error?.message ?? stderr.trim().split("\n").at(-1);
  throw new Error(`${name} ${VERSION}, which tests need, cannot be had: ${why}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    process.stdout.write(pnpm12());
  } catch (thrown) {
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 1;
  }
