/**
 * State directories as earlier versions left them, one archive a version: a daemon of 0.1.0 with three finished runs, one running, two
 * queued and a repository of `updates`, ended by SIGKILL. The present version continues from each; an older version refuses the result.
 */
import { createHash } from "node:crypto";
import { globSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { launch, run, type Site, site } from "../daemon/main/testing/daemon.js";
import type { RunRecord } from "../daemon/plugin-api/state.js";
import { output } from "./support/child.js";
import { command } from "./support/command.js";
import { eventually } from "./support/eventually.js";

const archives = fileURLToPath(new URL("../../tests/released-state", import.meta.url));

const configuration = `hook_server "main" { listen = "127.0.0.1:0" }
hook "fast" {
  run = ["sh", "-c", "echo deployed $0", query.say]
}
hook "slow" {
  run = ["sh", "-c", "until [ -e go ]; do sleep 0.1; done; echo released $0", query.say]
  concurrency = 1
  queue = 10
}
updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
}
`;

async function unpacked(t: ExecutionContext, archive: string): Promise<Site> {
  const folder = await site(t, configuration);
  output("tar", ["-xzf", join(archives, archive), "-C", folder.directory]);
  return folder;
}

for (const archive of readdirSync(archives)) {
  test(`the present version continues from ${archive}`, async (t) => {
    t.timeout(120_000);
    const folder = await unpacked(t, archive);
    await writeFile(join(folder.directory, "go"), "");
    const daemon = await run(t, folder);
    const records = async (): Promise<readonly RunRecord[]> =>
      JSON.parse((await daemon.get("/v1/runs")).body).runs;
    await eventually("the end of all runs", async () =>
      (await records()).every(({ state }) => state !== "queued" && state !== "running"),
    );
    t.deepEqual(
      (await records()).map(({ subject, state }) => [subject, state]),
      [
        ["hook.slow", "succeeded"],
        ["hook.slow", "succeeded"],
        ["hook.slow", "interrupted"],
        ["hook.fast", "succeeded"],
        ["hook.fast", "succeeded"],
        ["hook.fast", "succeeded"],
      ],
    );
    const outputs = await Promise.all(
      (await records()).map(async ({ id }) => {
        const { output } = JSON.parse((await daemon.get(`/v1/runs/${id}`)).body);
        return output?.text;
      }),
    );
    t.deepEqual(outputs, [
      ...["released w3\n", "released w2\n", ""],
      ...["deployed v3\n", "deployed v2\n", "deployed v1\n"],
    ]);
    const repositories = JSON.parse((await daemon.get("/v1/updates/repos")).body);
    t.regex(JSON.stringify(repositories), /acme\/shop/);
    const { state, conditions } = JSON.parse((await daemon.get("/v1/status")).body);
    t.deepEqual({ state, conditions }, { state: "running", conditions: [] });
  });
}

interface Comparison {
  readonly version: string;
  readonly canGoBack: boolean;
  readonly tables: ReadonlyArray<{
    readonly file: string;
    readonly done: number;
    readonly missing: readonly string[];
    readonly unknown: readonly string[];
  }>;
}

/** What `reeve upgrade --check` says of a state directory, which it leaves as it is. */
async function compared(t: ExecutionContext, state: string, { used = false } = {}) {
  const words = ["upgrade", "--check", "--state", state];
  const before = contents(state);
  const text = await command(words);
  const inJson = await command([...words, "--json"]);
  t.is(inJson.code, text.code);
  if (!used) t.deepEqual(contents(state), before);
  return { ...text, json: JSON.parse(inJson.stdout || "{}") as Comparison };
}

const contents = (directory: string): ReadonlyMap<string, string> =>
  new Map(
    globSync("**/*", { cwd: directory, withFileTypes: true })
      .filter((each) => each.isFile() && !each.name.endsWith("-shm"))
      .map((each) => {
        const path = join(each.parentPath, each.name);
        return [path, createHash("sha256").update(readFileSync(path)).digest("hex")];
      }),
  );

test("`reeve upgrade --check` lists what the first start migrates; then nothing is left, with and without the daemon", async (t) => {
  t.timeout(120_000);
  const folder = await unpacked(t, "0.1.0.tar.gz");
  const state = join(folder.directory, "state");
  await writeFile(join(folder.directory, "go"), "");
  const before = await compared(t, state);
  t.is(before.code, 1, before.stderr);
  t.false(before.json.canGoBack);
  t.deepEqual(before.json.tables, [
    {
      file: "reeve.db",
      done: 3,
      missing: ["the position in the journal", "sums of pages"],
      unknown: [],
    },
    {
      ...{ file: "plugins/updates/tables.sqlite", plugin: "updates", done: 7 },
      ...{ missing: [], unknown: [] },
    },
  ]);
  t.regex(
    before.stdout,
    /^reeve\.db +3 of 5 steps; missing: the position in the journal; sums of pages$/m,
  );
  t.regex(before.stdout, /^reeve \d+\.\d+\.\d+\S* compared with \//);
  t.regex(before.json.version, /^\d+\.\d+\.\d+/);
  t.regex(before.stdout, /takes 2 steps\. .* run `reeve state backup` first\.\n$/);

  const daemon = await run(t, folder);
  const during = await compared(t, state, { used: true });
  t.is(during.code, 0, during.stdout + during.stderr);
  t.true(during.json.canGoBack);
  daemon.child.kill("SIGTERM");
  await daemon.exited;
  const after = await compared(t, state);
  t.is(after.code, 0);
  t.deepEqual(after.json.tables, during.json.tables);
  t.regex(after.stdout, /^reeve\.db +up to date, 5 steps$/m);
  t.regex(after.stdout, /Nothing changes: /);
});

test("`reeve upgrade --check` names what is wrong in one sentence", async (t) => {
  const { directory } = await site(t, configuration);
  for (const [words, code, says] of [
    [["upgrade"], 64, /^reeve: `reeve upgrade` needs `--check`: it installs nothing\n/],
    [
      ["upgrade", "--check", "--state", join(directory, "none")],
      66,
      /none cannot be compared: it does not exist\n/,
    ],
    [["upgrade", "--check", "--state", directory], 66, /cannot be compared: it has no reeve\.db\n/],
  ] as const) {
    const result = await command(words);
    t.is(result.code, code);
    t.regex(result.stderr, says);
    t.notRegex(result.stderr, /\n\s+at /);
  }
});

test("the steps that plugins declare are those that their tables have", async (t) => {
  t.timeout(120_000);
  const folder = await site(
    t,
    `${configuration}schedule "nightly" {\n  cron = "0 3 * * *"\n  run = ["true"]\n}\n`,
  );
  const daemon = await run(t, folder);
  daemon.child.kill("SIGTERM");
  await daemon.exited;
  const { json, code } = await compared(t, join(folder.directory, "state"));
  t.is(code, 0);
  t.deepEqual(
    json.tables.map(({ file, done }) => [file, done]),
    [
      ["reeve.db", 5],
      ["plugins/hooks/tables.sqlite", 2],
      ["plugins/updates/tables.sqlite", 7],
    ],
  );
});

const later = "999_from_a_later_version";
const newer: Readonly<Record<string, readonly [file: string, sql: string, says: RegExp]>> = {
  "the daemon's tables": [
    "reeve.db",
    "PRAGMA user_version = 1000",
    /^The database was written by a newer version of reeve\.$/,
  ],
  "a plugin's tables": [
    "plugins/updates/tables.sqlite",
    `INSERT INTO reeve_migrations VALUES ('${later}', 1)`,
    /The tables of the plugin updates were changed by a newer version of it \(999_from/,
  ],
};

for (const [what, [file, sql, says]] of Object.entries(newer)) {
  test(`${what} of a newer version are refused in one sentence, and stay as they are`, async (t) => {
    t.timeout(120_000);
    const folder = await unpacked(t, "0.1.0.tar.gz");
    const path = join(folder.directory, "state", file);
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    const comparison = await compared(t, join(folder.directory, "state"));
    t.is(comparison.code, 69, comparison.stderr);
    t.regex(comparison.stdout, /of a newer version: (999_from_a_later_version|step 6, step 7)/);
    t.regex(comparison.stdout, /A newer version wrote this state, and this one does not start/);
    const daemon = launch(t, folder);
    const { message = "", errors = [] } = (await daemon.first) as {
      message?: string;
      errors?: string[];
    };
    t.regex([message, ...errors].find((text) => says.test(text)) ?? `${message} ${errors}`, says);
    await daemon.exited;
    const again = new DatabaseSync(path);
    t.truthy(again.prepare("PRAGMA integrity_check").get());
    again.close();
  });
}
