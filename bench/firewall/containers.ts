/** What a run in containers costs: an engine of the benchmark's own, the image already there. Needs root and `docker.io`. */
import { fileURLToPath } from "node:url";
import { startDocker } from "../../plugins/firewall/testing/docker.js";
import { createTestInternet } from "../../plugins/firewall/testing/test-internet.js";
import { median, type Row } from "../support/table.js";

// As it is installed.
const awf = fileURLToPath(new URL("../../bundle/awf.js", import.meta.url));
const options = [
  ...["--image-registry", "local.test/awf", "--image-tag", "1", "--skip-pull"],
  ...["--log-level", "error", "--dns-servers", "8.8.8.8", "--allow-domains", "example.com"],
];
const rounds = 11;

/** Nothing where the caller is not root. */
export async function containerRuns(): Promise<Row[]> {
  if (process.getuid?.() !== 0) return [];
  await using docker = await startDocker();
  await docker.importImage("local.test/awf/agent:1");
  await using world = await createTestInternet({});
  const whole: number[] = [];
  const toStart: number[] = [];
  const toEnd: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = Date.now();
    const { child, result } = world.start(process.execPath, [awf, ...options, "--", "date +%s%N"], {
      environment: docker.environment,
    });
    let ended = 0;
    child.once("exit", () => {
      ended = Date.now();
    });
    const ran = Number((await result).stdout) / 1e6;
    whole.push(ended - startedAt);
    toStart.push(ran - startedAt);
    toEnd.push(ended - ran);
  }
  const row = (what: string, times: readonly number[], existing: string): Row => ({
    what,
    result: `${median(times).toFixed(0)} ms`,
    bar: existing,
  });
  return [
    row("whole run of a command, `--engine docker`", whole, "existing tool 6.7 s"),
    row("… until the command starts", toStart, "existing tool 4.5 s"),
    row("… from its end until awf has exited", toEnd, "existing tool 2.1 s"),
  ];
}
