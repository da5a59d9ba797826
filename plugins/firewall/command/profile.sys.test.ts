import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { profiles } from "../policy/profiles.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

test("awf profile list and show print the data", async (t) => {
  await using world = await createTestInternet({});
  const list = await world.awf(["profile", "list"]);
  t.deepEqual(
    list.stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(/ +/)[0]),
    profiles.map(({ name }) => name),
  );
  const show = await world.awf(["profile", "show", "cargo"]);
  t.is(
    show.stdout,
    "cargo: build Rust packages from crates.io\n\nDomains\n  crates.io\n  static.rust-lang.org\n\nWritable paths, where a list of writable paths excludes them\n  ~/.cargo/registry\n  ~/.cargo/git\n",
  );
  const json = await world.awf(["profile", "show", "cargo", "--json"]);
  t.deepEqual(
    JSON.parse(json.stdout),
    profiles.find(({ name }) => name === "cargo"),
  );
});

test("other words and unknown names are refused", async (t) => {
  await using world = await createTestInternet({});
  const unknown = /^\[ERROR\] Unknown profile "cargoo"; did you mean "cargo"\?\n$/;
  const wrong: ReadonlyArray<readonly [argv: readonly string[], message: RegExp]> = [
    [["profile"], /^Usage: awf profile list/],
    [["profile", "show"], /^Usage: awf profile list/],
    [["profile", "list", "npm"], /^Usage: awf profile list/],
    [["profile", "show", "cargoo"], unknown],
    [["--profile", "npm,cargoo", "--", "true"], unknown],
  ];
  for (const [argv, message] of wrong) {
    const { code, stdout, stderr } = await world.awf(argv);
    t.is(code, 1);
    t.is(stdout, "");
    t.regex(stderr, message);
  }
});

test("--profile adds domains, and directories to a list of writable paths", async (t) => {
  await using world = await createTestInternet({});
  const { home, workspace } = world;
  for (const path of [".npm", ".cargo/registry"]) mkdirSync(join(home, path), { recursive: true });
  const options = ["--profile", "npm,pip", "--block-domains", "pypi.org"];
  const explained = async (domain: string) =>
    (await world.awf([...options, "--explain", domain])).stdout;
  t.regex(await explained("registry.npmjs.org"), /: allowed \(entry 'registry\.npmjs\.org'/);
  t.regex(await explained("pypi.org"), /: denied, blocked by 'pypi\.org'/);
  t.regex(await explained("crates.io"), /: denied, domain not in allowlist/);
  await world.awf([
    ...[...options, "--allow-write", workspace, "--"],
    "touch ~/.npm/made ~/.cargo/registry/made ~/made 2>/dev/null",
  ]);
  t.true(existsSync(join(home, ".npm/made")));
  for (const path of [".cargo/registry/made", "made"]) t.false(existsSync(join(home, path)), path);
});
