/** One of three daemons is killed and one cut off; then each is restarted while a release comes in. */
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { CuttableLink } from "../../daemon/services/testing/cuttable-link.js";
import { databaseFor } from "../../daemon/services/testing/postgres.js";
import { npmRegistry } from "../../plugins/updates/testing/npm-registry.js";
import { remains } from "../support/eventually.js";
import { textOf } from "./asker.js";
import { effectsOf, pullsTo } from "./effects.js";
import { type Daemon, fill, isIdle, scene, until } from "./scene.js";

export interface OutageOptions {
  /** Of repositories. */
  readonly count: number;
  /** As the language writes it: `10s`. */
  readonly lease: string;
  /** Milliseconds, three times the lease. */
  readonly cutOffFor: number;
}

const isMergedByItself = (index: number): boolean => index % 2 === 0;

/** No update is lost, half or twice. */
export async function outage(
  t: ExecutionContext,
  { count, lease, cutOffFor }: OutageOptions,
): Promise<void> {
  const names = Array.from({ length: count }, (_, index) => `site-${index}`);
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const address = await databaseFor(t);
  const way = await CuttableLink.to(t, address);
  const at = scene(t, {
    lease,
    updates: (shared) => `  repositories = "${shared}"
  registry "npm_and_yarn" { url = "${registry.url}" }`,
  });
  const one = await at.daemon("one", address);
  const [two, three] = await Promise.all([
    at.daemon("two", address),
    at.daemon("three", way.address),
  ]);
  await fill(at, one, names, (index) => (isMergedByItself(index) ? "semver:patch" : "never"));
  await until(() => isIdle(one));
  const release = (daemon: Daemon, version: string): Promise<unknown> => {
    registry.publish("left-foo", version);
    const what = { name: "left-foo", version, "package-manager": "npm_and_yarn" };
    return daemon.ask("POST", "/v1/updates/notifications", what);
  };
  /** Each has one that is as far as it gets by itself. */
  const areDone = async (daemon: Daemon, version: string): Promise<boolean> => {
    const pulls = await pullsTo(daemon, version);
    const merged = pulls.filter(({ state }) => state === "merged").length;
    const wanted = names.filter((_, index) => isMergedByItself(index)).length;
    return pulls.length >= names.length && merged >= wanted && (await isIdle(daemon));
  };

  await release(two, "2.0.3");
  await until(async () => (await pullsTo(one, "2.0.3")).length >= count / 8);
  await two.end("SIGKILL");
  way.cut();
  await Promise.all([
    remains("it is cut off", () => true, cutOffFor),
    until(() => areDone(one, "2.0.3")),
    until(async () => three.log().includes("The database cannot be reached")),
    textOf(join(three.own, "hooks.sock"), "POST", "/hooks/ping").then((said) =>
      t.is(said.trim(), "pong", "hooks need no database"),
    ),
  ]);
  way.mend();
  await until(async () => three.log().includes("The database is back."));
  t.deepEqual(
    await effectsOf(at, one, { names, version: "2.0.3" }),
    names.map((_, index) => (isMergedByItself(index) ? "merged once" : "open once")),
  );
  const complaints = three.log().split("The database cannot be reached").length - 1;
  t.is(complaints, 1, "it says so once");
  const { runs } = await one.ask("GET", "/v1/updates/runs?limit=500");
  t.deepEqual(
    (runs as readonly { state: string }[]).filter(({ state }) => state === "running"),
    [],
  );

  const again = await at.daemon("two", address);
  await release(three, "2.0.4");
  t.is(await one.end("SIGTERM"), 0);
  const next = await at.daemon("one", address);
  t.is(await again.end("SIGTERM"), 0);
  await until(() => areDone(next, "2.0.4"));
  t.deepEqual(
    await effectsOf(at, next, { names, version: "2.0.4" }),
    names.map((_, index) => (isMergedByItself(index) ? "merged once" : "open once")),
  );
  const older = await pullsTo(next, "2.0.3");
  t.is(older.filter(({ state }) => state === "open").length, 0, "the older ones are superseded");
}
