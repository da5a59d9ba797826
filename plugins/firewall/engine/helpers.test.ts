import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { findHelper, isTrusted } from "./helpers.js";

test("a helper is a real path that only the system's owner can change", (t) => {
  for (const program of ["bwrap", "ip", "setpriv", "unshare", "sh"]) {
    const file = findHelper(program);
    t.regex(file ?? "", /^\/(usr|nix)\//, program);
  }
  t.is(findHelper("no-such-program"), undefined);
});

test("a file that others can change, or below such a directory, is not trusted", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "awf-helpers-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "bin", "setpriv");
  mkdirSync(join(directory, "bin"));
  writeFileSync(file, "", { mode: 0o755 });
  const isRoot = process.getuid?.() === 0;
  t.is(isTrusted(file), isRoot);
  for (const [path, mode] of [
    [file, 0o775],
    [join(directory, "bin"), 0o777],
    [directory, 0o720],
  ] as const) {
    chmodSync(path, mode);
    t.false(isTrusted(file), path);
    chmodSync(path, 0o755);
  }
  t.is(isTrusted(file), isRoot);
});
