/** The start of a run behind the filter, and its connections, against their bars. Prints one Markdown table. Needs bubblewrap, iproute2 and Python. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createTestInternet,
  type TestInternet,
} from "../../plugins/firewall/testing/test-internet.js";
import { median, print, type Row } from "../support/table.js";
import { client } from "./client.js";
import { homes } from "./homes.js";

// As it is installed.
const awf = fileURLToPath(new URL("../../bundle/awf.js", import.meta.url));
const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const rounds = 21;

const rows: Row[] = [];
{
  await using world = await createTestInternet({ "allowed.test": ["93.184.216.34"] });
  rows.push(...(await wholeRun(world, false)), ...(await wholeRun(world, true)));
  rows.push(...(await connections(world)), ...(await slowConnections(world)));
}
rows.push(...(await homes([awf, ...quiet])));

print(rows, `Medians of ${rounds}.`);

async function wholeRun(world: TestInternet, ordinary: boolean): Promise<Row[]> {
  const times: number[] = [];
  const used: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    const words = [awf, ...quiet, "--allow-domains", "example.com", "--", "true"];
    const timed = ["-c", 'TIMEFORMAT="%U %S"; time "$@"', "bash", process.execPath, ...words];
    const { stderr } = await world.start("/bin/bash", timed, { ordinary }).result;
    times.push(performance.now() - start);
    const [, user, system] = /^([\d.]+) ([\d.]+)$/m.exec(stderr) ?? [];
    used.push((Number(user) + Number(system)) * 1000);
  }
  const who = ordinary || process.getuid?.() !== 0 ? "an ordinary user" : "root";
  return [
    {
      what: `whole run of \`-- true\` as ${who}`,
      result: `${median(times).toFixed(0)} ms`,
      bar: "≤ 150 ms",
    },
    { what: "… processor time", result: `${median(used).toFixed(0)} ms`, bar: "" },
  ];
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

interface SlowStep {
  readonly count: number;
  readonly next: number;
  readonly denied: number;
  /** Milliseconds for each connection since the last step. */
  readonly opened: number | null;
}

/** The work for a connection must not grow with the number of open ones. */
async function slowConnections(world: TestInternet): Promise<Row[]> {
  const words = [awf, ...quiet, "--allow-domains", "allowed.test", "--", "/usr/bin/python3"];
  const script = join(world.workspace, "client.py");
  const { stdout } = await world.start(process.execPath, [...words, script, "slow"]).result;
  const steps = JSON.parse(stdout) as readonly SlowStep[];
  return steps.flatMap(({ count, next, denied, opened }) => [
    {
      what: `next request with ${count.toLocaleString("en")} slow connections open, allowed and denied`,
      result: `${next.toFixed(2)} and ${denied.toFixed(2)} ms`,
      bar: count === 5000 ? "≤ 50 ms" : "",
    },
    ...(opened === null
      ? []
      : [{ what: "… opening each of the last ones", result: `${opened.toFixed(2)} ms`, bar: "" }]),
  ]);
}
