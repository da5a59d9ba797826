/**
 * The proof of several daemons at full length: three of them share real updates of many repositories, one is killed with -9 in the middle and one is
 * cut off from the database for half a minute; then one after the other is restarted while a second release comes in. Prints one table of what can
 * be counted of every repository: node dist/bench/several/main.js [--repositories N]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { CuttableLink } from "../../daemon/services/testing/cuttable-link.js";
import { Server } from "../../daemon/services/testing/postgres.js";
import { npmRegistry } from "../../plugins/updates/testing/npm-registry.js";
import { effectsOf, pullsTo } from "../../tests/several/effects.js";
import { type Daemon, fill, isIdle, scene, until } from "../../tests/several/scene.js";
import { print, type Row } from "../support/table.js";

const { values } = parseArgs({ options: { repositories: { type: "string", default: "1000" } } });
const count = Number(values.repositories);
const names = Array.from({ length: count }, (_, index) => `site-${index}`);
/** Half of them are merged by themselves. */
const rule = (index: number) => (index % 2 === 0 ? "semver:patch" : "never");
const merged = Math.ceil(count / 2);
/** Milliseconds; three times the lease. */
const cutOffFor = 30_000;

const ends: Array<() => unknown> = [];
const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
const server = await Server.start("fsync=on");
const address = await server.database();
const ending = { teardown: (end: () => unknown) => void ends.push(end) };
const way = await CuttableLink.to(ending, address);
const at = scene(ending, {
  lease: "10s",
  updates: (shared) => `  repositories = "${shared}"
  registry "npm_and_yarn" { url = "${registry.url}" }`,
});

/** Announces a release to one daemon; resolves with the seconds until all updates have finished. */
async function released(
  version: string,
  announcedTo: Daemon,
  queried: () => Daemon,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  const startedAt = performance.now();
  registry.publish("left-foo", version);
  const what = { name: "left-foo", version, "package-manager": "npm_and_yarn" };
  await announcedTo.ask("POST", "/v1/updates/notifications", what);
  await meanwhile();
  await until(async () => {
    await sleep(500);
    const pulls = await pullsTo(queried(), version);
    const over = pulls.filter(({ state }) => state === "merged").length;
    return pulls.length >= count && over >= merged && (await isIdle(queried()));
  });
  return (performance.now() - startedAt) / 1000;
}

async function rowsOf(what: string, version: string, queried: Daemon, seconds: number) {
  const effects = await effectsOf(at, queried, { names, version });
  const sum = (line: string) => effects.filter((each) => each === line).length;
  const odd = effects.filter((line) => !/^(open|merged) once$/.test(line));
  for (const line of odd.slice(0, 5)) process.stderr.write(`${line}\n`);
  const rows: Row[] = [
    { what: `${what}: merged once`, result: `${sum("merged once")}`, bar: `${merged}` },
    { what: `${what}: open once`, result: `${sum("open once")}`, bar: `${count - merged}` },
    { what: `${what}: lost, half or twice`, result: `${odd.length}`, bar: "0" },
    {
      what: `${what}: seconds (updates a second)`,
      result: `${seconds.toFixed(0)} (${(count / seconds).toFixed(1)})`,
      bar: "",
    },
  ];
  return rows;
}

try {
  let one = await at.daemon("one", address);
  let two = await at.daemon("two", address);
  const three = await at.daemon("three", way.address);
  await fill(at, one, names, rule);
  await until(() => isIdle(one));

  const first = await released(
    "2.0.3",
    two,
    () => one,
    async () => {
      await until(async () => (await pullsTo(one, "2.0.3")).length >= count / 5);
      await two.end("SIGKILL");
      way.cut();
      await sleep(cutOffFor);
      way.mend();
    },
  );
  const rows = await rowsOf("killed and cut off", "2.0.3", one, first);

  two = await at.daemon("two", address);
  const second = await released(
    "2.0.4",
    three,
    () => three,
    async () => {
      await one.end("SIGTERM");
      one = await at.daemon("one", address);
      await two.end("SIGTERM");
      two = await at.daemon("two", address);
    },
  );
  rows.push(...(await rowsOf("restarted one by one", "2.0.4", three, second)));
  print(
    rows,
    `${count} repositories, three daemons, leases of 10 s, one killed and one cut off for 30 s.`,
  );
} finally {
  for (const end of ends.reverse()) await end();
  await registry[Symbol.asyncDispose]();
}
process.exit(0);
