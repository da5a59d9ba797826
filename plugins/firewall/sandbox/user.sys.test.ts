import { chmodSync, chownSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { runSync } from "../../../tests/support/child.js";
import { createTestInternet } from "../testing/test-internet.js";
import { invoker } from "./user.js";

// Starting sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(60_000));

const quiet = ["--log-level", "error", "--dns-servers", "8.8.8.8"];
const isRoot = process.getuid?.() === 0;
/** No account has this number, so the home directory comes from the environment. */
const behind = 61_234;

const isReachable = (path: string): boolean =>
  runSync("setpriv", [
    ...[`--reuid=${behind}`, `--regid=${behind}`, "--clear-groups"],
    ...["test", "-x", path],
  ]).code === 0;

test("under sudo the command runs as the calling user, and its files belong to that user", async (t) => {
  await using world = await createTestInternet({});
  for (const directory of [world.scratch, join(world.scratch, "tmp")]) chmodSync(directory, 0o755);
  if (isRoot)
    for (const directory of [world.home, world.workspace]) chownSync(directory, behind, behind);
  const environment = { SUDO_UID: String(behind), SUDO_GID: String(behind), SUDO_USER: "somebody" };
  const { stdout, stderr } = await world.awf(
    [...quiet, "--", `id -u; id -G; touch ${world.workspace}/made; env | grep -c SUDO_`],
    { environment },
  );
  // Without access to the program there is no sandbox for it, as in a checkout below root's home.
  if (isRoot && !isReachable(process.cwd())) {
    t.is(stdout, "");
    t.regex(stderr, /Permission denied/);
    return;
  }
  // An ordinary user can set the variables freely, so awf ignores them.
  const own = isRoot ? behind : (process.getuid?.() ?? 0);
  t.is(stdout.split("\n")[0], String(own), stderr);
  t.is(stdout.trimEnd().split("\n").at(-1), "0");
  t.is(statSync(join(world.workspace, "made")).uid, own);
});

test("the home directory comes from the environment, and the account's own is a further one", (t) => {
  const { home, otherHomes, switchesUser } = invoker({ HOME: "/somewhere" });
  t.deepEqual([home, otherHomes.length, switchesUser], ["/somewhere", 1, false]);
  t.deepEqual(invoker({ HOME: otherHomes[0] }).otherHomes, []);
});
