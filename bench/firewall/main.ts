/** What else a run behind the filter costs, against its bars; `filter` has its start and its connections. Prints one Markdown table. Needs bubblewrap, iproute2 and Python. */
import { fileURLToPath } from "node:url";
import {
  createTestInternet,
  type TestInternet,
} from "../../plugins/firewall/testing/test-internet.js";
import { median, print, type Row } from "../support/table.js";
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
  rows.push(await afterTheEnd(world), await fifty(world));
  rows.push(...(await memoryOf(world, [awf, ...quiet])));
}
rows.push(...(await inDaemon()), ...(await containerRuns()), ...statistics());

print(rows, `Medians of ${rounds}.`);

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

async function fifty(world: TestInternet): Promise<Row> {
  const runs = Array.from({ length: 50 }, (_, index) =>
    world.start(process.execPath, [awf, ...quiet, "--", `exit ${index}`]),
  );
  const results = await Promise.all(runs.map(({ result }) => result));
  const right = results.filter(({ code }, index) => code === index).length;
  return { what: "fifty runs at once", result: `${right} of 50 right`, bar: "all" };
}
