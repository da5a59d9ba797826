/**
 * State directories as earlier versions left them, one archive a version: a daemon of 0.1.0 with three finished runs, one running, two
 * queued and a repository of `updates`, ended by SIGKILL. The present version continues from each; an older version refuses the result.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import { launch, run, type Site, site } from "../daemon/main/testing/daemon.js";
import type { RunRecord } from "../daemon/plugin-api/state.js";

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
  execFileSync("tar", ["-xzf", join(archives, archive), "-C", folder.directory]);
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
    while ((await records()).some(({ state }) => state === "queued" || state === "running")) {
      await new Promise((again) => setTimeout(again, 20));
    }
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
