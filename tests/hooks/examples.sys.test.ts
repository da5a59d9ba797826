/** The examples for GitHub, GitLab, Alertmanager and Stripe: what their pages say to send runs what they say it runs. */
import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import test from "ava";
import { startFixture } from "../../plugins/hooks/testing/fixture.js";
import { run } from "../support/child.js";

interface Sent {
  /** Behind `/hooks/`. */
  readonly path: string;
  /** Of `send.sh`, before the address. */
  readonly words?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly status: number;
  /** What the command prints; left out where none runs. */
  readonly printed?: string;
}

const examples: Readonly<Record<string, readonly Sent[]>> = {
  github: [
    {
      ...{ path: "github", status: 202 },
      printed: "example/garden is at 4f2b8c1de07a95b3c6d1480f9ae25b7d3c90e6a1 now\n",
    },
    { path: "github", environment: { EVENT: "ping" }, status: 200 },
  ],
  gitlab: [
    {
      ...{ path: "gitlab/push", words: ["push.json"], status: 202 },
      printed:
        "building example/garden, refs/heads/main at da1560886d4f094c3e6c9ef40349f7d38b5d27d7\n",
    },
    {
      ...{ path: "gitlab/deploy/staging", words: ["pipeline.json"], status: 202 },
      printed: "deploying da1560886d4f094c3e6c9ef40349f7d38b5d27d7 to staging\n",
    },
    { path: "gitlab/deploy/moon", words: ["pipeline.json"], status: 200 },
    { path: "gitlab/deploy/staging", words: ["push.json"], status: 200 },
  ],
  alertmanager: [
    {
      ...{ path: "alerts", status: 202 },
      printed:
        "firing: DiskFull, HighLoad (No space left on /var of db-1; HighLoad), since 2026-11-20T07:12:44.121Z\n",
    },
    {
      ...{ path: "alerts/disk-full", status: 202 },
      printed: `making room on db-1:9100\ntold with ${JSON.stringify(JSON.parse(file("alertmanager", "alerts.json"))).length} bytes\n`,
    },
  ],
  stripe: [
    {
      ...{ path: "stripe", status: 200 },
      printed:
        'delivering order-4711, paid with 1990 eur, to {"email":"ada@example.com","name":"Ada"}\n',
    },
  ],
};

function file(example: string, name: string): string {
  return readFileSync(`examples/${example}/${name}`, "utf8");
}

for (const [example, all] of Object.entries(examples)) {
  test(`${example}: what its page says to send runs what it says`, async (t) => {
    const beside = globSync(`examples/${example}/*`).map((path) => basename(path));
    const at = await startFixture(t, file(example, "main.reeve").replaceAll(":9000", ":0"), {
      files: Object.fromEntries(beside.map((name) => [name, file(example, name)])),
    });
    for (const { path, words = [], environment = {}, status, printed } of all) {
      const { stdout } = await run(
        "sh",
        [`examples/${example}/send.sh`, ...words, `${at.url}/${path}`],
        { env: { ...process.env, ...environment } },
      );
      t.regex(stdout, new RegExp(`^HTTP/1.1 ${status} `), `${path}: ${stdout}`);
      if (printed === undefined) {
        t.notRegex(stdout, /^reeve-run:/im, path);
        continue;
      }
      await at.next("hook.finished");
      const [last] = await at.plugin.runs({ limit: 1 });
      t.deepEqual([last?.state, last?.output.text], ["succeeded", printed]);
    }
    // The page shows what the first one prints.
    t.true(file(example, "README.md").includes(all[0]?.printed ?? ""));
  });

  test(`${example}: without the proof nothing runs`, async (t) => {
    const at = await startFixture(t, file(example, "main.reeve").replaceAll(":9000", ":0"), {
      files: { "demo-secret.txt": "something else" },
    });
    for (const { path, words = [] } of all) {
      const { stdout } = await run("sh", [
        ...[`examples/${example}/send.sh`, ...words, `${at.url}/${path}`],
      ]);
      t.regex(stdout, /^HTTP\/1.1 401 /, path);
    }
    t.deepEqual(await at.plugin.runs(), []);
  });
}
