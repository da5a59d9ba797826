/** What a run behind the filter costs, against its bars. Prints one Markdown table. Needs bubblewrap, iproute2 and Python. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createTestInternet,
  type TestInternet,
} from "../../plugins/firewall/testing/test-internet.js";
import { median, print, type Row } from "../support/table.js";
import { client } from "./client.js";
import { containerRuns } from "./containers.js";
import { inDaemon } from "./daemon.js";
import { memoryOf } from "./memory.js";
import { statistics } from "./statistics.js";

// As it is installed.
const awf = fileURLToPath(new URL("../../bundle/awf.js", import.meta.url));
const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const rounds = 21;

const rows: Row[] = [];
{
  await using world = await createTestInternet({ "allowed.test": ["93.184.216.34"] });
  rows.push(await wholeRun(world, false), await wholeRun(world, true));
  rows.push(await afterTheEnd(world), ...(await connections(world)));
  rows.push(await slowConnections(world), await fifty(world));
  rows.push(...(await memoryOf(world, [awf, ...quiet])));
}
rows.push(...(await inDaemon()), ...(await containerRuns()), ...statistics());

print(rows, `Medians of ${rounds}.`);

async function wholeRun(world: TestInternet, ordinary: boolean): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const words = [awf, ...quiet, "--allow-domains", "example.com", "--", "true"];
    await world.start(process.execPath, words, { ordinary }).result;
    times.push(performance.now() - start);
  }
  const who = ordinary || process.getuid?.() !== 0 ? "an ordinary user" : "root";
  return {
    what: `whole run of \`-- true\` as ${who}`,
    result: `${median(times).toFixed(0)} ms`,
    bar: "≤ 150 ms",
  };
}

/** The command writes the clock as its last act. */
async function afterTheEnd(world: TestInternet): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { child, result } = world.start(process.execPath, [awf, ...quiet, "--", "date +%s%N"]);
    let ended = 0;
    child.once("exit", () => {
      ended = performance.timeOrigin + performance.now();
    });
    const { stdout } = await result;
    times.push(ended - Number(stdout) / 1e6);
  }
  return {
    what: "end of the command → awf has exited",
    result: `${median(times).toFixed(0)} ms`,
    bar: "≤ 30 ms",
  };
}

async function connections(world: TestInternet): Promise<Row[]> {
  const script = join(world.workspace, "client.py");
  writeFileSync(script, client);
  const inside = await world.start(process.execPath, [
    awf,
    ...quiet,
    "--allow-domains",
    "allowed.test",
    "--",
    "/usr/bin/python3",
    script,
    "inside",
  ]).result;
  const { allowed, denied, tunnel } = JSON.parse(inside.stdout);
  const { direct } = JSON.parse(
    (await world.start("/usr/bin/python3", [script, "direct"]).result).stdout,
  );
  return [
    {
      what: "new connection, allowed, local origin: p50 of 500",
      result: `${allowed.toFixed(2)} ms`,
      bar: "≤ 0.5 ms",
    },
    {
      what: "new connection, denied: p50 of 500",
      result: `${denied.toFixed(2)} ms`,
      bar: "≤ 0.2 ms",
    },
    {
      what: "tunnel of 200 MiB, ratio to direct",
      result: (tunnel / direct).toFixed(2),
      bar: "≥ 0.5",
    },
  ];
}

async function slowConnections(world: TestInternet): Promise<Row> {
  const words = [awf, ...quiet, "--allow-domains", "allowed.test", "--", "/usr/bin/python3"];
  const script = join(world.workspace, "client.py");
  const { stdout } = await world.start(process.execPath, [...words, script, "slow"]).result;
  return {
    what: "next request with 5,000 slow connections open: p50 of 21",
    result: `${JSON.parse(stdout).next.toFixed(1)} ms`,
    bar: "≤ 50 ms",
  };
}

async function fifty(world: TestInternet): Promise<Row> {
  const runs = Array.from({ length: 50 }, (_, index) =>
    world.start(process.execPath, [awf, ...quiet, "--", `exit ${index}`]),
  );
  const results = await Promise.all(runs.map(({ result }) => result));
  const right = results.filter(({ code }, index) => code === index).length;
  return { what: "fifty runs at once", result: `${right} of 50 right`, bar: "all" };
}
