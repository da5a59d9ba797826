import { chmodSync, chownSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { run, runSync } from "../../../tests/support/child.js";
import { AWF } from "../../../tests/support/commands.js";
import { folder } from "../../../tests/support/folder.js";
import { needs, rootUser } from "../../../tests/support/needs.js";
import { createTestInternet } from "../testing/test-internet.js";
import { invoker } from "./user.js";

// Starting sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
/** No account has this number, so the home directory comes from the environment. */
const behind = 61_234;

const environment = { SUDO_UID: String(behind), SUDO_GID: String(behind), SUDO_USER: "caller" };
const command = ({ workspace }: { readonly workspace: string }): string =>
  `id -u; id -G; touch ${workspace}/made; env | grep -c SUDO_`;

const isReachable = (path: string): boolean =>
  runSync("setpriv", [
    ...[`--reuid=${behind}`, `--regid=${behind}`, "--clear-groups"],
    ...["test", "-x", path],
  ]).code === 0;

const asRoot = needs(test, rootUser);

asRoot(
  "under sudo the command runs as the calling user, and its files belong to that user",
  async (t) => {
    await using world = await createTestInternet({});
    for (const directory of [world.scratch, join(world.scratch, "tmp")])
      chmodSync(directory, 0o755);
    for (const directory of [world.home, world.workspace]) chownSync(directory, behind, behind);
    const { stdout, stderr } = await world.awf([...quiet, "--", command(world)], { environment });
    // Without access to the program there is no sandbox for it, as in a checkout below root's home.
    if (!isReachable(process.cwd())) {
      t.is(stdout, "");
      t.regex(stderr, /Permission denied/);
      return;
    }
    t.deepEqual(stdout.trimEnd().split("\n"), [String(behind), String(behind), "0"], stderr);
    t.is(statSync(join(world.workspace, "made")).uid, behind);
  },
);

asRoot(
  "under sudo the command opens its outputs by name, also where they are files of root",
  async (t) => {
    await using world = await createTestInternet({});
    for (const directory of [world.scratch, join(world.scratch, "tmp")])
      chmodSync(directory, 0o755);
    for (const directory of [world.home, world.workspace]) chownSync(directory, behind, behind);
    const file = join(world.scratch, "file");
    const line = `install -m 600 /dev/null ${file}; '${process.execPath}' '${AWF}' ${quiet.join(" ")} -- 'id -u > /dev/stdout; id -g > /dev/stderr' > ${file} 2>&1; cat ${file}`;
    const { stdout } = await world.start("/bin/sh", ["-c", line], { environment }).result;
    if (isReachable(process.cwd()))
      t.is(stdout, `${behind}\n${behind}\nProcess exiting with code: 0\n`);
    else t.regex(stdout, /Permission denied/);
  },
);

test("an ordinary user can set sudo's variables freely, so awf ignores them", async (t) => {
  await using world = await createTestInternet({});
  const options = { environment, ordinary: true };
  const { stdout, stderr } = await world.awf([...quiet, "--", command(world)], options);
  const lines = stdout.trimEnd().split("\n");
  t.deepEqual([lines[0], lines.at(-1)], ["1234", "0"], stderr);
  t.true(existsSync(join(world.workspace, "made")));
});

/** As root of a user namespace that has no other user. */
const inNamespace = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run("unshare", ["--user", "--map-root-user", process.execPath, ...words], {
    env: { ...process.env, ...env },
  });
const awf = (line: string): readonly string[] => ["dist/bundle/awf.js", ...quiet, "--", line];

test("root of a user namespace that does not have the user behind sudo runs nothing", async (t) => {
  const { code, stdout, stderr } = await inNamespace(awf("echo ran"), environment);
  t.deepEqual([code, stdout], [1, ""]);
  t.is(
    stderr,
    "[ERROR] This user namespace does not have the user behind sudo (SUDO_UID is 61234). Unset SUDO_UID to run the command as root of the namespace\n",
  );
});

test("a sandbox for a user that the user namespace does not have is refused", async (t) => {
  const at = folder(t, { "main.reeve": 'sandbox "a" { user = "nobody" }\n' });
  const { code, stdout, stderr } = await inNamespace([
    "dist/bundle/reeve.js",
    "check",
    "--host",
    at,
  ]);
  t.is(code, 75);
  t.regex(stdout + stderr, /This user namespace does not have the user `nobody`/);
});

test("files of users that the user namespace does not have are shown, and changing one fails", async (t) => {
  const home = folder(t, { "notes.txt": "before\n" });
  // For an ordinary user, root's own home directory is such a file.
  if (process.getuid?.() === 0) {
    chmodSync(`${home}/notes.txt`, 0o666);
    chownSync(`${home}/notes.txt`, behind, behind);
  }
  const line = "cat ~/notes.txt; echo after >> ~/notes.txt; echo new > ~/new.txt";
  const { code, stdout, stderr } = await inNamespace(awf(line), { HOME: home });
  t.deepEqual([code, stdout], [0, "before\n"], stderr);
  // The overlay cannot make a file of such a user in the layer of changes.
  const isOwn = process.getuid?.() !== 0;
  if (!isOwn) t.regex(stderr, /notes\.txt: Value too large for defined data type/);
  t.is(readFileSync(join(home, "notes.txt"), "utf8"), isOwn ? "before\nafter\n" : "before\n");
  t.is(readFileSync(join(home, "new.txt"), "utf8"), "new\n");
});

test("the home directory comes from the environment, and the account's own is a further one", (t) => {
  const { home, otherHomes, switchesUser } = invoker({ HOME: "/somewhere" });
  t.deepEqual([home, otherHomes.length, switchesUser], ["/somewhere", 1, false]);
  t.deepEqual(invoker({ HOME: otherHomes[0] }).otherHomes, []);
});
