/** Lock files refreshed by package managers inside a real sandbox: a daemon with both plugins, in a small Internet of its own. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import {
  createTestInternet,
  type TestInternet,
} from "../plugins/firewall/testing/test-internet.js";
import { go, goProxy } from "../plugins/updates/testing/go-proxy.js";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { publishTool } from "../plugins/updates/testing/package-tools.js";
import {
  byHand,
  KINDS,
  locked,
  OLD,
  publishNews,
} from "../plugins/updates/testing/tool-projects.js";
import { sandboxed } from "./sandbox/updates-scene.js";
import { needs, program } from "./support/needs.js";
import { isLong } from "./support/runs.js";

const withGo = needs(test, program("go"));

// Daemons, sandboxes and package managers: a small machine may take its time.
test.beforeEach((t) => t.timeout(180_000));

const sockets = mkdtempSync(join(tmpdir(), "reeve-sites-"));
const NPM = { url: "http://93.184.216.40", socket: join(sockets, "npm") };
const GO = { url: "http://93.184.216.41", socket: join(sockets, "go") };

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({}, { "93.184.216.40": NPM.socket, "93.184.216.41": GO.socket });
});
test.after.always(async () => {
  await world[Symbol.asyncDispose]();
  rmSync(sockets, { recursive: true, force: true });
});

// Each starts a daemon, a sandbox and a tool: both tools in `npm test`, all of it in the long tier.
const both = ["pnpm", "yarn"] as const;
for (const name of isLong ? both : both.slice(0, 1)) {
  const kind = KINDS[name];

  test.serial(
    `${name} refreshes its lock within the sandbox that allows the registry`,
    async (t) => {
      await using outside = await npmRegistry(OLD);
      await using registry = await npmRegistry(OLD, NPM);
      await publishTool(registry, kind.tool);
      const before = await locked(name, outside);
      for (const each of [outside, registry]) publishNews(each);
      const at = await sandboxed(t, world, {
        ...{ manager: "npm_and_yarn", files: before, registry: NPM.url },
        allow: '"93.184.216.40"',
      });
      const pull = await at.pull("merged");
      t.is(pull.title, "Bump foo from 1.0.0 to 1.1.0");
      const manifest = await at.file("package.json");
      const edited = new Map([...Object.entries(before), ["package.json", manifest] as const]);
      const theirs = await byHand(kind, edited, outside);
      t.is(await at.file(kind.lock), theirs.get(kind.lock) ?? "");
      const { commands, allowed, denied } = await at.sandbox();
      t.true(commands >= 2 && allowed > 0 && denied === 0);
    },
  );
}

for (const name of isLong ? both : both.slice(1)) {
  const kind = KINDS[name];

  test.serial(
    `${name}: what the sandbox does not allow is said, and nothing is merged`,
    async (t) => {
      await using outside = await npmRegistry(OLD);
      await using registry = await npmRegistry(OLD, NPM);
      await publishTool(registry, kind.tool);
      const before = await locked(name, outside);
      publishNews(registry);
      const at = await sandboxed(t, world, {
        ...{ manager: "npm_and_yarn", files: before, registry: NPM.url },
        allow: '"other.test"',
      });
      const [outcome] = await at.outcomes();
      t.like(outcome, {
        name: "foo",
        kind: "failed",
        reason: "lock_failed",
        why: '`sandbox "tools"` does not let the tool reach 93.184.216.40: addresses are denied unless they are in the allowlist themselves.',
      });
      t.is(await at.file(kind.lock), before[kind.lock] ?? "");
    },
  );
}

withGo.serial("Go brings in a new module within the sandbox that allows the proxy", async (t) => {
  await using outside = await goProxy();
  await using proxy = await goProxy(GO);
  const code = (name: string, needs = "") => ({
    "code.go": `package ${name}\n\n${needs}var X = 1\n`,
  });
  const main = 'package main\n\nimport "example.test/right"\n\nvar _ = right.X\n\nfunc main() {}\n';
  const goMod = "module example.test/app\n\ngo 1.17\n\nrequire example.test/right v1.0.0\n";
  for (const each of [outside, proxy]) {
    each.publish("example.test/right", "v1.0.0", "", code("right"));
    each.publish("example.test/fresh", "v0.0.1", "", code("fresh"));
  }
  const before = await go({ "go.mod": goMod, "main.go": main }, outside, ["mod", "tidy"]);
  const news = code("right", 'import _ "example.test/fresh"\n\n');
  const requires = "\nrequire example.test/fresh v0.0.1\n";
  for (const each of [outside, proxy]) each.publish("example.test/right", "v1.1.0", requires, news);
  const at = await sandboxed(t, world, {
    ...{ manager: "go_modules", files: before, registry: GO.url },
    allow: '"93.184.216.41"',
  });
  await at.pull("merged");
  const theirs = await go(
    before,
    outside,
    ["get", "-d", "example.test/right@v1.1.0"],
    ["mod", "tidy"],
  );
  for (const file of ["go.mod", "go.sum"]) t.is(await at.file(file), theirs[file] ?? "");
});
