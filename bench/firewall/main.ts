/** What a run behind the filter costs, against its bars. Prints one Markdown table. Needs bubblewrap, iproute2 and Python. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeWorld, type World } from "../../plugins/firewall/testing/world.js";
import { median, print, type Row } from "../support/table.js";
import { client } from "./client.js";
import { containerRuns } from "./containers.js";

const awf = fileURLToPath(new URL("../../cli/awf.js", import.meta.url));
const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const rounds = 21;

const rows: Row[] = [];
{
  await using world = await makeWorld({ "allowed.test": ["93.184.216.34"] });
  rows.push(await wholeRun(world, false), await wholeRun(world, true));
  rows.push(await afterTheEnd(world), ...(await connections(world)), await fifty(world));
}
rows.push(...(await containerRuns()), ...statistics());

print(rows, `Medians of ${rounds}.`);

async function wholeRun(world: World, ordinary: boolean): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const start = performance.now();
    await world.awf([...quiet, "--allow-domains", "example.com", "--", "true"], { ordinary });
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
async function afterTheEnd(world: World): Promise<Row> {
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

async function connections(world: World): Promise<Row[]> {
  const script = join(world.workspace, "client.py");
  writeFileSync(script, client);
  const inside = await world.awf([
    ...quiet,
    "--allow-domains",
    "allowed.test",
    "--",
    "/usr/bin/python3",
    script,
    "inside",
  ]);
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

async function fifty(world: World): Promise<Row> {
  const runs = Array.from({ length: 50 }, (_, index) =>
    world.start(process.execPath, [awf, ...quiet, "--", `exit ${index}`]),
  );
  const results = await Promise.all(runs.map(({ result }) => result));
  const right = results.filter(({ code }, index) => code === index).length;
  return { what: "fifty runs at once", result: `${right} of 50 right`, bar: "all" };
}

/** One million lines of which most are tunnels, in processor time and peak memory of the whole process. */
function statistics(): Row[] {
  const directory = mkdtempSync(join(tmpdir(), "awf-bench-"));
  const file = join(directory, "access.log");
  const line = (index: number) =>
    `${1_700_000_000 + index / 10} 127.0.0.1:40000 host-${index % 500}.test:443 192.0.2.1:443 1.1 CONNECT 200 TCP_TUNNEL:HIER_DIRECT host-${index % 500}.test:443 "Mozilla/5.0 (X11; Linux x86_64)"\n`;
  writeFileSync(file, "");
  for (let from = 0; from < 1_000_000; from += 10_000) {
    writeFileSync(file, Array.from({ length: 10_000 }, (_, index) => line(from + index)).join(""), {
      flag: "a",
    });
  }
  const program = `process.argv.splice(1, 0, "awf"); const { main } = await import(${JSON.stringify(new URL("../../plugins/firewall/command/main.js", import.meta.url).href)}); await main(["logs", "stats", "--format", "json", "--source", ${JSON.stringify(file)}], "0"); const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage(); process.stderr.write(JSON.stringify([(userCPUTime + systemCPUTime) / 1e6, maxRSS / 1024]));`;
  const runs = [1, 2, 3].map((): [number, number] =>
    JSON.parse(
      spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })
        .stderr,
    ),
  );
  rmSync(directory, { recursive: true });
  return [
    {
      what: "`logs stats`, 1,000,000 lines, processor time",
      result: `${median(runs.map(([time]) => time)).toFixed(2)} s`,
      bar: "≤ 0.7 s",
    },
    {
      what: "… peak memory",
      result: `${median(runs.map(([, memory]) => memory)).toFixed(0)} MiB`,
      bar: "≤ 90 MiB",
    },
  ];
}
