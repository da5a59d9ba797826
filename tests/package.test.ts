/** What strangers install: the packed package in an empty folder, its commands and its exports. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import test from "ava";

const run = promisify(execFile);
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};

interface Packed {
  readonly filename: string;
  readonly files: ReadonlyArray<{ readonly path: string }>;
}

test.serial(
  "the packed package installs into an empty folder, and everything in it runs",
  async (t) => {
    t.timeout(300_000);
    const folder = mkdtempSync(join(tmpdir(), "reeve-package-"));
    t.teardown(() => rmSync(folder, { recursive: true, force: true }));
    const { stdout } = await run("npm", [
      "pack",
      "--json",
      "--ignore-scripts",
      "--pack-destination",
      folder,
    ]);
    const [packed] = JSON.parse(stdout) as readonly [Packed];
    const paths = packed.files.map(({ path }) => path);

    t.deepEqual(
      paths.filter((path) => /\.test\.|(^|\/)(cases|testing\/fixtures|bench)\//.test(path)),
      [],
      "nothing that only tests need is shipped",
    );
    for (const wanted of [
      "README.md",
      "LICENSE",
      "dist/daemon/plugin-api/index.d.ts",
      "dist/bundle/reeve.js",
    ]) {
      t.true(paths.includes(wanted), wanted);
    }

    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    await run(
      "npm",
      ["install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, packed.filename)],
      {
        cwd: folder,
      },
    );

    for (const name of Object.keys(manifest.bin)) {
      const bin = join(folder, "node_modules", ".bin", name);
      const version = await run(bin, ["--version"], { cwd: folder });
      t.true(version.stdout.includes(manifest.version), `${name} --version`);
      const help = await run(bin, ["--help"], { cwd: folder });
      t.regex(help.stdout + help.stderr, /usage/i, `${name} --help`);
    }

    const reeve = join(folder, "node_modules", ".bin", "reeve");
    await run(reeve, ["init", "host"], { cwd: folder });
    const check = await run(reeve, ["check", "host"], { cwd: folder });
    t.notRegex(check.stderr, /error/);

    const use = `
    import { parse, format } from "reeve";
    import { definePlugin, c } from "reeve/plugin";
    import { testPlugin } from "reeve/testing";
    console.log(typeof parse, typeof format, typeof definePlugin, typeof c.block, typeof testPlugin);
  `;
    const exports = await run(process.execPath, ["--input-type=module", "-e", use], {
      cwd: folder,
    });
    t.is(exports.stdout.trim(), "function function function function function");
  },
);
