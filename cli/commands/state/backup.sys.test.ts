/** `reeve state backup` and `reeve state restore`, with real daemons. */
import {
  appendFile,
  cp,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { BackupManifest } from "../../../daemon/main/state-restore.js";
import { output } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";
import { folder, reeve } from "../../testing/reeve.js";
import { type Running, running } from "../../testing/running.js";

const configuration = `hook_server "main" { listen = "127.0.0.1:0" }
hook "x" {
  run = ["true"]
  queue = 10000
}
schedule "nightly" {
  cron = "0 3 * * *"
  run = ["true"]
}
`;

async function post({ control }: Running): Promise<string> {
  const [listener] = (await control.status()).listeners;
  const answer = await fetch(`http://${listener?.address}/hooks/x`, { method: "POST" });
  if (answer.status !== 202) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.headers.get("reeve-run") ?? "";
}

const manifestIn = async (backup: string): Promise<BackupManifest> =>
  JSON.parse(await readFile(join(backup, "manifest.json"), "utf8"));

/** Every run that a daemon of the restored state knows. */
async function runsOf(daemon: Running): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let before: string | undefined; ; ) {
    const { runs } = await daemon.control.runs({ limit: 200, ...(before && { before }) });
    for (const { id } of runs) found.add(id);
    const last = runs.at(-1)?.id;
    if (last === undefined || last === before) return found;
    before = last;
  }
}

test("a backup during deliveries has every one acknowledged before it; its daemon starts without damage", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, { "main.reeve": configuration });
  const daemon = await running(t, cwd);
  const acknowledged: string[] = [];
  let sending = true;
  t.teardown(() => {
    sending = false;
  });
  const senders = Array.from({ length: 4 }, async () => {
    while (sending) acknowledged.push(await post(daemon));
  });
  const many = async (count: number): Promise<void> => {
    const target = acknowledged.length + count;
    await eventually(`${count} more deliveries`, () => acknowledged.length >= target);
  };
  await many(100);
  const before = [...acknowledged];
  const copied = await daemon.reeve("state", "backup", "--to", "backup");
  t.is(copied.code, 0, copied.stderr);
  t.regex(copied.stdout, /^Copied \d+ files \([\d.]+ MiB\) to .*\/backup\.\n$/);
  await many(20);
  sending = false;
  await Promise.all(senders);
  await daemon.end("SIGKILL");
  t.deepEqual(leftOver(await readdir(cwd)), []);

  const next = folder(t, { "main.reeve": configuration });
  const words = ["state", "restore", join(cwd, "backup"), "--state", "state"];
  const restored = await reeve(words, { cwd: next });
  t.is(restored.code, 0, restored.stderr);
  t.deepEqual(leftOver(await readdir(next)), []);
  const again = await running(t, next);
  const known = await runsOf(again);
  t.deepEqual(
    before.filter((id) => !known.has(id)),
    [],
  );
  const { conditions, state } = await again.control.status();
  t.deepEqual({ conditions, state }, { conditions: [], state: "running" });
  t.true(known.has(await post(again)) === false, "it accepts new ones");
  const repair = await reeve(["state", "repair", "--state", "state"], { cwd: next });
  t.is(repair.stderr, `Nothing is missing in ${join(next, "state")}.\n`);
  t.is(await again.end("SIGTERM"), 0);
});

test("without a path it goes below the state directory, and the next one does not have it", async (t) => {
  const cwd = folder(t, { "main.reeve": configuration });
  const daemon = await running(t, cwd);
  const first = JSON.parse((await daemon.reeve("state", "backup", "--json")).stdout);
  t.is(dirname(first.to), join(cwd, "state", "backups"));
  const second = JSON.parse((await daemon.reeve("state", "backup", "--json")).stdout);
  const paths = (await manifestIn(second.to)).files.map(({ path }) => path);
  t.true(paths.includes("plugins/hooks/tables.sqlite"));
  t.is(second.files, paths.length);
  t.deepEqual(
    paths.filter((path) => /backups|lock|pid|temporary|cache|-wal|-shm/.test(path)),
    [],
  );
  for (const path of [second.to, dirname(second.to)]) t.is((await stat(path)).mode & 0o777, 0o700);
  for (const path of paths) t.is((await stat(join(second.to, path))).mode & 0o077, 0);
});

test("after a kill, the state of the dead daemon is copied; the original is as it was", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, { "main.reeve": configuration });
  const daemon = await running(t, cwd);
  const ids = await Promise.all(Array.from({ length: 30 }, () => post(daemon)));
  await daemon.end("SIGKILL");
  const backup = ["state", "backup", "--state", "state", "--to", "backup"];
  t.is((await reeve(backup, { cwd })).code, 0);
  const next = folder(t, { "main.reeve": configuration });
  await reeve(["state", "restore", join(cwd, "backup"), "--state", "state"], { cwd: next });
  for (const directory of [cwd, next]) {
    const again = await running(t, directory);
    const known = await runsOf(again);
    t.deepEqual(
      ids.filter((id) => !known.has(id)),
      [],
      directory,
    );
    t.deepEqual((await again.control.status()).conditions, []);
    t.is(await again.end("SIGTERM"), 0);
  }
});

test("a used state is kept beside its replacement, and only when that is asked for", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, { "main.reeve": configuration });
  const daemon = await running(t, cwd);
  const [old] = [await post(daemon), await daemon.reeve("state", "backup", "--to", "backup")];
  const late = await post(daemon);
  const restore = ["state", "restore", "backup", "--state", "state"];
  const used = await reeve([...restore, "--replace"], { cwd });
  t.is(used.code, 69);
  t.regex(used.stderr, /Reeve runs already/);
  await daemon.end("SIGTERM");
  const refused = await reeve(restore, { cwd });
  t.is(refused.code, 66);
  t.regex(refused.stderr, /has a state already\.\n.*--replace/);
  const { stdout, code } = await reeve([...restore, "--replace", "--json"], { cwd });
  t.is(code, 0);
  const { kept } = JSON.parse(stdout) as { kept: string };
  t.true((await readdir(kept)).includes("reeve.db"));
  const again = await running(t, cwd);
  const known = await runsOf(again);
  t.deepEqual([known.has(old), known.has(late)], [true, false]);
});

const damages: ReadonlyArray<
  readonly [what: string, does: (backup: string) => Promise<unknown>, says: RegExp]
> = [
  ["no manifest", (backup) => rm(join(backup, "manifest.json")), /is no backup: manifest\.json/],
  [
    "half a manifest",
    (backup) => truncate(join(backup, "manifest.json"), 90),
    /no list of a backup/,
  ],
  ["a missing file", (backup) => rm(join(backup, "reeve.db")), /reeve\.db cannot be read: /],
  ["a shorter file", (backup) => truncate(join(backup, "reeve.db"), 4096), /reeve\.db is damaged/],
  ["a longer file", (backup) => appendFile(join(backup, "reeve.db"), "x"), /reeve\.db is damaged/],
  ["one other byte", flipByte, /reeve\.db is damaged/],
  ...["../outside", "/etc/passwd", "a/../../b", "", ".", "a//b", "a\0b"].map(
    (path) =>
      [
        `a file called ${JSON.stringify(path)}`,
        (backup: string) => editManifest(backup, ({ files }) => [{ ...files[0], path }]),
        /no list of a backup/,
      ] as const,
  ),
];

async function flipByte(backup: string): Promise<void> {
  const path = join(backup, "reeve.db");
  const bytes = await readFile(path);
  bytes[5000] = (bytes[5000] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

async function editManifest(
  backup: string,
  edited: (manifest: BackupManifest) => readonly object[],
): Promise<void> {
  const manifest = await manifestIn(backup);
  await writeFile(
    join(backup, "manifest.json"),
    JSON.stringify({ ...manifest, files: edited(manifest) }),
  );
}

test("a damaged backup is refused with one sentence, and nothing changes", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, { "main.reeve": configuration });
  const daemon = await running(t, cwd);
  await post(daemon);
  await daemon.reeve("state", "backup", "--to", "whole");
  await daemon.end("SIGTERM");
  for (const [what, damage, says] of damages) {
    await cp(join(cwd, "whole"), join(cwd, "backup"), { recursive: true });
    await damage(join(cwd, "backup"));
    const before = await readdir(join(cwd, "state"));
    const words = ["state", "restore", "backup", "--state", "state", "--replace"];
    const { code, stderr } = await reeve(words, { cwd });
    t.is(code, 66, what);
    t.regex(stderr, says, what);
    t.is(stderr.split("\n").length, 3, "a sentence and what to do");
    t.deepEqual(await readdir(join(cwd, "state")), before, what);
    t.deepEqual(leftOver(await readdir(cwd)), [], what);
    await rm(join(cwd, "backup"), { recursive: true });
  }
});

test("a copy that cannot be written is one sentence, and nothing is left of it", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, { "main.reeve": configuration, "full/file": "", "small/.keep": "" });
  const daemon = await running(t, cwd);
  await mkdir(join(cwd, "disk"));
  const says = async (to: string): Promise<string> => {
    const { code, stderr } = await daemon.reeve("state", "backup", "--to", to);
    t.is(code, 73, stderr);
    return stderr;
  };
  t.regex(await says("full"), /exists and is not an empty directory/);
  t.regex(await says("main.reeve"), /exists and is not an empty directory/);
  t.regex(await says(join("state", "copy")), /is in the state directory/);
  t.regex(await says("main.reeve/copy"), /Cannot write the backup/);
  if (mountsSmallDisk(t, join(cwd, "disk"))) {
    t.regex(await says("disk/copy"), /no space left|disk is full/i);
    t.deepEqual(await readdir(join(cwd, "disk")), []);
  }
  t.deepEqual(await readdir(join(cwd, "full")), ["file"]);
  t.is((await daemon.control.status()).state, "running");
  const nothing = await reeve(["state", "backup", "--state", "none"], { cwd });
  t.is(nothing.code, 66);
  t.regex(nothing.stderr, /there is no state directory/);
  const silent = ["state", "backup", "--state", "state", "--control", "none.sock"];
  const unanswered = await reeve(silent, { cwd });
  t.is(unanswered.code, 69);
  t.regex(unanswered.stderr, /does not answer on its control socket/);
});

/** Only root may mount. */
function mountsSmallDisk(t: ExecutionContext, directory: string): boolean {
  if (process.getuid?.() !== 0) return false;
  output("mount", ["-t", "tmpfs", "-o", "size=32k", "tmpfs", directory]);
  t.teardown(() => output("umount", [directory]));
  return true;
}

/** Names of temporary directories beside what was written. */
const leftOver = (names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith("."));
