/**
 * Two daemons, one code host elsewhere. The one that is at an update is stopped in the middle of it for longer than its lease, the other one takes
 * over, and then the first goes on where it was: there is one branch, one pull request and one merge all the same.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ava, { type ExecutionContext } from "ava";
import { databaseFor } from "../daemon/services/testing/postgres.js";
import { git } from "../plugins/updates/testing/fixture.js";
import { type Forge, forge } from "../plugins/updates/testing/forge.js";
import { type NpmRegistry, npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { pullsTo } from "./several/effects.js";
import { type Daemon, isIdle, type Scene, scene, until } from "./several/scene.js";
import { eventually, remains } from "./support/eventually.js";
import { needs, postgres } from "./support/needs.js";
import { isLong } from "./support/runs.js";

const test = needs(ava, postgres);

const branch = "refs/heads/dependabot/npm_and_yarn/left-foo-2.0.3";

interface World {
  readonly host: Forge;
  readonly registry: NpmRegistry;
  readonly at: Scene;
  readonly address: string;
  readonly first: Daemon;
}

async function world(t: ExecutionContext, rule: string): Promise<World> {
  // With a lease of two seconds a busy machine loses it again and again.
  t.timeout(420_000);
  const [host, registry] = await Promise.all([
    forge("github"),
    npmRegistry({ "left-foo": { "2.0.0": {} } }),
  ]);
  t.teardown(() => Promise.all([host[Symbol.asyncDispose](), registry[Symbol.asyncDispose]()]));
  const at = scene(t, {
    lease: "2s",
    updates: () => `  host "github" {
    url = "${host.url}"
    token = secret("env:FORGE_TOKEN")
  }
  registry "npm_and_yarn" { url = "${registry.url}" }`,
    environment: { FORGE_TOKEN: "forge-token-1" },
  });
  const work = join(at.folder, "work");
  mkdirSync(work);
  const manifest = { name: "site", version: "1.0.0", dependencies: { "left-foo": "2.0.0" } };
  writeFileSync(join(work, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await git(work, "init", "--quiet", "--initial-branch=main");
  await git(work, "add", "--all");
  await git(work, "commit", "--quiet", "--message", "begin");
  await git(work, "push", "--quiet", host.bareDirectory, "main");
  const address = await databaseFor(t);
  const first = await at.daemon("first", address);
  await first.ask("GET", "/v1/updates/repos");
  await first.ask("POST", "/v1/updates/configs", {
    ...{ repo: "acme/site", "package-manager": "npm_and_yarn", "update-schedule": "live" },
    "automerge-rule-runtime-deps": rule,
  });
  await until(() => isIdle(first));
  return { host, registry, at, address, first };
}

async function released({ registry, first }: World): Promise<void> {
  registry.publish("left-foo", "2.0.3");
  const what = { name: "left-foo", version: "2.0.3", "package-manager": "npm_and_yarn" };
  await first.ask("POST", "/v1/updates/notifications", what);
}

/** What can be seen at the code host and in the records, as one line. */
async function seen({ host, first }: World): Promise<string> {
  const pulls = await pullsTo(first, "2.0.3");
  const records = pulls.map(({ number, state }) => `#${number} ${state}`).join(" ");
  const there = host.pulls.map(({ number, state }) => `#${number} ${state}`).join(" ");
  const refs = await host.git("for-each-ref", "--format=%(refname)", "refs/heads/dependabot");
  const merges = host.log.filter((line) => /^PUT .*merge 200$/.test(line)).length;
  const commits = await host.git("rev-list", "--count", "--all");
  return `${records}; there ${there}; branches: ${refs}; commits: ${commits}; merges: ${merges}`;
}

/** Where the first one is stopped: at the first request that fits, which is answered all the same, or at a question to the registry. */
const moments: ReadonlyArray<
  readonly [where: string, request: RegExp | "registry", rule: "never" | "semver:patch"]
> = [
  ["before it has anything", "registry", "never"],
  ["while it pushes", /^GET .*service=git-receive-pack/, "never"],
  ["while it opens the pull request", /^POST .*\/pulls$/, "never"],
  ["while it merges", /^PUT .*\/merge$/, "semver:patch"],
];

/** In commits two of the moments, one for each rule. */
const tried = moments.filter(([where]) => isLong || /pushes|merges/.test(where));

for (const [where, request, rule] of tried) {
  test(`stopped ${where}`, async (t) => {
    const here = await world(t, rule);
    const { host, registry, at, address, first } = here;
    let isStopped = false;
    const stop = (): void => {
      if (!isStopped) first.child.kill("SIGSTOP");
      isStopped = true;
    };
    if (request === "registry") {
      registry.interrupt(({ url = "" }) => {
        if (url.includes("left-foo")) stop();
        return undefined;
      });
    } else {
      host.gate = async (what) => {
        if (request.test(what)) stop();
      };
    }
    // The answer may not come any more.
    void released(here).catch(() => undefined);
    await until(async () => isStopped);
    const second = await at.daemon("second", address);
    const wanted = rule === "never" ? "open" : "merged";
    await until(async () => {
      const [pull] = await pullsTo(second, "2.0.3");
      return pull?.state === wanted && (await isIdle(second));
    });
    first.child.kill("SIGCONT");
    await goneOn(here);
    const isMerged = wanted === "merged";
    t.is(
      await seen(here),
      `#1 ${wanted}; there #1 ${wanted}; branches: ${isMerged ? "" : branch}; commits: 2; merges: ${isMerged ? 1 : 0}`,
    );
    t.deepEqual(complaints(here.first), []);
  });
}

test("what it pushed arrives when the other one is about to push: one branch, one pull request", async (t) => {
  const here = await world(t, "never");
  const { host, at, address, first } = here;
  let pushes = 0;
  let release = (): void => undefined;
  const goAhead = new Promise<void>((resolve) => {
    release = resolve;
  });
  host.gate = async (what) => {
    if (!/service=git-receive-pack/.test(what)) return;
    pushes += 1;
    if (pushes === 1) {
      first.child.kill("SIGSTOP");
      await goAhead;
      return;
    }
    if (pushes > 2) return;
    release();
    await eventually("the branch", async () => (await host.git("for-each-ref", branch)) !== "");
  };
  void released(here).catch(() => undefined);
  await until(async () => pushes === 1);
  const second = await at.daemon("second", address);
  await until(async () => (await pullsTo(second, "2.0.3"))[0]?.state === "open");
  await until(() => isIdle(second));
  first.child.kill("SIGCONT");
  await goneOn(here);
  t.is(await seen(here), `#1 open; there #1 open; branches: ${branch}; commits: 2; merges: 0`);
});

test("killed while it closes what is superseded: the next one closes it", async (t) => {
  const here = await world(t, "never");
  const { host, registry, at, address, first } = here;
  await released(here);
  await until(async () => (await pullsTo(first, "2.0.3"))[0]?.state === "open");
  await until(() => isIdle(first));
  let isKilled = false;
  host.gate = async (what) => {
    if (!/^POST .*\/issues\/1\/comments$/.test(what) || isKilled) return;
    isKilled = true;
    await first.end("SIGKILL");
  };
  registry.publish("left-foo", "2.0.4");
  const what = { name: "left-foo", version: "2.0.4", "package-manager": "npm_and_yarn" };
  void first.ask("POST", "/v1/updates/notifications", what).catch(() => undefined);
  await until(async () => isKilled);
  const second = await at.daemon("second", address);
  await until(async () => host.pulls[0]?.state === "closed");
  await until(() => isIdle(second));
  t.deepEqual(
    host.pulls.map(({ state }) => state),
    ["closed", "open"],
  );
  const refs = await host.git("for-each-ref", "--format=%(refname)", "refs/heads/dependabot");
  t.is(refs, branch.replace("2.0.3", "2.0.4"));
});

/** The one that was late answers again, and what it was in the middle of is over. */
async function goneOn({ first }: World): Promise<void> {
  await until(() => isIdle(first));
  // What it does with a lease that it lost is to be seen nowhere but in its effects.
  await remains("time for what must not happen", () => true, 2000);
}

/** What it told of that went wrong, but for the connections that were lost meanwhile. */
const complaints = ({ log }: Daemon): readonly string[] =>
  log()
    .split("\n")
    .filter((line) => /"level":"(warn|error)"/.test(line))
    .filter((line) => !line.includes("The database cannot be reached"));
