/** What strangers install: the package in an empty folder, its commands, its exports and what it starts. */
import { once } from "node:events";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";
import { gunzipSync } from "node:zlib";
import test, { type ExecutionContext } from "ava";
import { build, buildFromPackage, npmPackage } from "./image/build.js";
import { child, outputOf, run } from "./support/child.js";
import { within } from "./support/eventually.js";
import { needs, program } from "./support/needs.js";

const withDebian = needs(test, program("dpkg-deb"));
const manifest = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly version: string;
  readonly bin: Readonly<Record<string, string>>;
};

const folder = mkdtempSync(join(tmpdir(), "reeve-package-"));
const installed = join(folder, "node_modules/reeve");
const command = (name: string): string => join(folder, "node_modules/.bin", name);
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

test.before(async (t) => {
  t.timeout(300_000);
  const { installed } = await npmPackage();
  await outputOf("cp", ["-al", `${installed}/.`, folder]);
});

test("the package is small and has one dependency", (t) => {
  const folders = globSync("node_modules/{*,@*/*}/package.json", { cwd: folder });
  t.true(folders.length <= 25, folders.join(" "));
  const files = globSync("node_modules/**/*", { cwd: folder, withFileTypes: true });
  const size = files
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + statSync(join(file.parentPath, file.name)).size, 0);
  t.true(size <= 25e6, `${size} bytes`);
  const own = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  t.deepEqual(Object.keys(own.dependencies), ["koffi"]);
});

test("nothing that only tests need is in it, and the licenses of others are", (t) => {
  // `reeve plugin new` writes the tests of new plugins.
  const paths = globSync("**/*", { cwd: installed }).filter(
    (path) => !path.startsWith("cli/starter/"),
  );
  t.deepEqual(
    paths.filter((path) => /\.test\.|(^|\/)(cases|testing\/fixtures|bench|tests)\//.test(path)),
    [],
  );
  const licenses = readFileSync(join(installed, "THIRD-PARTY-LICENSES.txt"), "utf8");
  const bom = JSON.parse(readFileSync(join(installed, "sbom.cdx.json"), "utf8")) as {
    readonly components: ReadonlyArray<{ readonly name: string; readonly version: string }>;
  };
  for (const name of ["fastify", "ink", "chokidar", "json5", "react"]) {
    t.regex(licenses, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\\n\\n[^]{300}`, "m"), name);
    t.true(
      bom.components.some((component) => component.name === name),
      name,
    );
  }
  t.notRegex(licenses, /\(unknown\)/);
  t.deepEqual(
    bom.components.filter(({ name }) => ["ava", "typescript"].includes(name)),
    [],
  );
});

test("the same sources give the same bytes", async (t) => {
  t.timeout(120_000);
  const { made } = await npmPackage();
  const second = await build("npm", folder, "second");
  const sums = [made, second].map((each) => readFileSync(join(each, "SHA256SUMS"), "utf8"));
  t.is(sums[0], sums[1]);
  t.regex(sums[0] ?? "", /^[0-9a-f]{64} {2}reeve-[\d.]+\.tgz$/m);
  await outputOf("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: second });
});

test("its commands run", async (t) => {
  t.timeout(120_000);
  for (const name of Object.keys(manifest.bin)) {
    const version = await run(command(name), ["--version"], { cwd: folder });
    t.true(version.stdout.includes(manifest.version), `${name} --version`);
    const help = await run(command(name), ["--help"], { cwd: folder });
    t.is(help.code, 0);
    t.regex(help.stdout + help.stderr, /usage/i, `${name} --help`);
  }
  await outputOf(command("reeve"), ["init", "host"], { cwd: folder });
  const check = await run(command("reeve"), ["check", "host"], { cwd: folder });
  t.is(check.code, 0);
  t.notRegex(check.stderr, /error/);
});

test("its modules can be imported", async (t) => {
  const use = `
    import { parse, format } from "reeve";
    import { definePlugin, c } from "reeve/plugin";
    import { testPlugin } from "reeve/testing";
    import * as cli from "reeve/cli";
    console.log(typeof parse, typeof format, typeof definePlugin, typeof c.block, typeof testPlugin, typeof cli);
  `;
  const words = ["--input-type=module", "-e", use];
  const stdout = await outputOf(process.execPath, words, { cwd: folder });
  t.is(stdout.trim(), "function function function function function object");
});

test("all plugins do their work in it: hooks, sandboxes, updates, settings", async (t) => {
  t.timeout(120_000);
  const missing = new Set([
    ...["hook.finished", "hook.rejected", "settings.changed"],
    ...["sandbox.allowed", "sandbox.denied", "update.opened", "config.reloaded"],
  ]);
  const demo = lines(t, "demo", "--headless");
  const { value } = await demo.next();
  const control = String(value).replace("reeve top --control ", "");
  for await (const line of lines(t, "events", "--json", "--control", control)) {
    missing.delete((JSON.parse(line) as { readonly type: string }).type);
    if (missing.size === 0) break;
  }
  t.deepEqual([...missing], []);
});

test("npm's library refreshes lock files in it", async (t) => {
  const directory = join(folder, "app");
  const scripts = "plugins/updates/managers/lock/worker.js";
  const lock = {
    name: "app",
    lockfileVersion: 3,
    requires: true,
    packages: { "": { name: "app" } },
  };
  mkdirSync(directory);
  writeFileSync(join(directory, "package.json"), '{ "name": "app" }');
  writeFileSync(join(directory, "package-lock.json"), `${JSON.stringify(lock, null, 2)}\n`);
  const worker = new Worker(join(installed, "dist", scripts));
  t.teardown(() => worker.terminate());
  worker.postMessage({
    ...{ kind: "package_lock", directory, file: "package-lock.json", requirements: [] },
    ...{ indirect: [], registries: { "": "http://127.0.0.1:1" }, credentials: [] },
    ...{ legacyPeers: false, cache: join(directory, "cache") },
  });
  const [answer] = (await once(worker, "message")) as [
    { readonly kind: string; readonly result: { readonly by: string } },
  ];
  t.is(answer.kind, "done");
  t.regex(answer.result.by, /^arborist \d/);
});

withDebian(
  "the Debian package brings its own Node, a unit, completions and man pages",
  async (t) => {
    t.timeout(180_000);
    const to = await buildFromPackage("debian", folder, "debian");
    const [name = ""] = globSync("*.deb", { cwd: to });
    await outputOf("dpkg-deb", ["--extract", join(to, name), join(to, "root")]);
    const library = join(to, "root/usr/lib/reeve");
    const printed = await run(
      join(library, "node"),
      [join(library, "dist/cli/reeve.js"), "--version"],
      {
        env: { PATH: "/usr/bin:/bin" },
      },
    );
    t.true(printed.stdout.includes(manifest.version));
    t.regex(
      readFileSync(join(library, "dist/cli/reeve.js"), "utf8"),
      /exec \/usr\/lib\/reeve\/node -- /,
    );
    const unit = readFileSync(join(to, "root/usr/lib/systemd/system/reeve.service"), "utf8");
    t.regex(unit, /^ExecStart=\/usr\/bin\/reeve up \/etc\/reeve\/main\.reeve /m);
    const fields = await run("dpkg-deb", ["--field", join(to, name), "Depends"]);
    t.regex(fields.stdout, /libatomic1/);
    const own = globSync("**/*", { cwd: join(to, "root") });
    for (const path of [
      ...["etc/reeve/main.reeve", "usr/bin/reeve", "usr/bin/awf", "usr/bin/reeve-webhook"],
      ...["usr/share/man/man1/reeve.1.gz", "usr/share/man/man1/awf.1.gz"],
      ...["usr/share/bash-completion/completions/reeve", "usr/share/zsh/vendor-completions/_reeve"],
      ...["usr/share/fish/vendor_completions.d/reeve.fish", "usr/share/doc/reeve/copyright"],
    ]) {
      t.true(own.includes(path), path);
    }
    const page = gunzipSync(
      readFileSync(join(to, "root/usr/share/man/man1/reeve.1.gz")),
    ).toString();
    t.regex(page, /^\.SS reeve check \[FILE\]$/m);
  },
);

/** What a command prints, line by line; it ends with the test. */
function lines(
  t: ExecutionContext,
  ...argv: readonly string[]
): AsyncIterator<string> & AsyncIterable<string> {
  const started = child(t, command("reeve"), argv, { cwd: folder });
  // The demonstration ends its daemon and removes its directory.
  t.teardown(async () => {
    started.kill("SIGTERM");
    await within(`the end of ${argv.join(" ")}`, started.ended).catch(() => undefined);
  });
  const { stdout } = started.process;
  if (!stdout) throw new Error("it has no output");
  const found = createInterface(stdout)[Symbol.asyncIterator]();
  return { next: () => found.next(), [Symbol.asyncIterator]: () => found };
}
