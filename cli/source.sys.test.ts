/** `reeve up git+URL`: a real daemon follows a real repository. */
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { Remote } from "../daemon/source/testing/remote.js";
import { child, output } from "../tests/support/child.js";
import { REEVE } from "../tests/support/commands.js";
import { eventually, within } from "../tests/support/eventually.js";
import { connect } from "./control/client.js";
import { folder, reeve } from "./testing/reeve.js";

const hookServer = 'hook_server "main" { listen = "127.0.0.1:0" }\n';
const hook = (name: string): string => `${hookServer}hook "${name}" { run = ["true"] }\n`;

interface Following {
  readonly state: string;
  readonly said: () => string;
  readonly control: ReturnType<typeof connect>;
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  end(signal?: NodeJS.Signals): Promise<void>;
}

function follow(
  t: ExecutionContext,
  remote: Remote,
  options: readonly string[] = [],
  base: string = folder(t, {}),
): Following {
  const state = join(base, "state");
  const socket = join(base, "control.sock");
  const words = ["--state", state, "--control", socket, "--poll", "1", "--log-format", "json"];
  const source = `git+file://${remote.directory}#main`;
  const daemon = child(t, process.execPath, [REEVE, "up", source, ...words, ...options], {
    cwd: base,
  });
  const said = () => daemon.stdout + daemon.stderr;
  const end = async (signal: NodeJS.Signals = "SIGTERM"): Promise<void> => {
    daemon.kill(signal);
    await within("the end of the daemon", daemon.ended);
  };
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const look = async () => (await holds().catch(() => false)) || !daemon.isAlive;
    const found = await eventually(what, look, { every: 50 }).catch(() => false);
    if (!found || !daemon.isAlive) throw new Error(`not ${what}: ${said()}`);
  };
  return { state, said, control: connect({ control: socket }), until, end };
}

const runs =
  ({ control }: Following, commit: string) =>
  async (): Promise<boolean> => {
    const { state, generation } = await control.status();
    return state !== "starting" && generation?.git?.commit === commit;
  };
const reports =
  ({ control }: Following, code: string) =>
  async (): Promise<boolean> =>
    (await control.status()).conditions.some((each) => each.code === code);

test("commits are applied; an invalid one is refused and does not run, not even its files", async (t) => {
  t.timeout(120_000);
  const remote = new Remote(t);
  const first = remote.commit({ "main.reeve": hook("one"), "script.sh": "echo 1\n" });
  const daemon = follow(t, remote);
  await daemon.until("running the first commit", runs(daemon, first));
  const current = join(daemon.state, "source", "current");
  t.is(readFileSync(join(current, "script.sh"), "utf8"), "echo 1\n");

  const second = remote.commit({ "main.reeve": hook("two") });
  await daemon.until("running the second commit", runs(daemon, second));

  remote.commit({ "main.reeve": 'hook "two" { nothing = 1 }\n', "script.sh": "echo bad\n" });
  await daemon.until("refusing the third", reports(daemon, "source_invalid"));
  t.is((await daemon.control.status()).generation?.git?.commit, second);
  t.is(readFileSync(join(current, "script.sh"), "utf8"), "echo 1\n");
  t.regex(daemon.said(), /E\d+ in main\.reeve:1: /);

  // A damaged mirror is made again.
  rmSync(join(daemon.state, "git-source", "mirror.git", "objects"), { recursive: true });
  mkdirSync(join(daemon.state, "git-source", "mirror.git", "objects"));
  const fourth = remote.commit({ "main.reeve": hook("four"), "script.sh": "echo 4\n" });
  await daemon.until("running the fourth commit", runs(daemon, fourth));
  await daemon.until(
    "no longer reporting the third",
    async () => !(await reports(daemon, "source_invalid")()),
  );
});

test("a user pauses the source, resumes it, and accepts a rewritten branch", async (t) => {
  t.timeout(120_000);
  const remote = new Remote(t);
  const first = remote.commit({ "main.reeve": hook("one") });
  const daemon = follow(t, remote);
  await daemon.until("running the first commit", runs(daemon, first));
  const { control } = daemon;
  const paused = await control.actOnSource({ action: "pause", duration: 3_600_000 });
  t.is(paused.commit, first);
  t.true((paused.pausedUntil ?? 0) > Date.now());
  t.true(await reports(daemon, "source_paused")());
  const second = remote.commit({ "main.reeve": hook("two") });
  const current = join(daemon.state, "source", "current");
  const file = join(realpathSync(current), "main.reeve");
  chmodSync(file, 0o644);
  writeFileSync(file, `${hook("one")}# by hand\n`);
  t.is((await control.source()).commit, first);
  t.regex(readFileSync(join(current, "main.reeve"), "utf8"), /by hand/);
  await control.actOnSource({ action: "resume" });
  await daemon.until("running the second commit", runs(daemon, second));
  t.false(await reports(daemon, "source_paused")());

  remote.git("commit", "--amend", "-qm", "rewritten");
  const rewritten = remote.git("rev-parse", "HEAD");
  const refused = await control.actOnSource({ action: "poll" });
  t.like(refused.refused, { commit: rewritten, code: "rewritten" });
  await t.throwsAsync(control.actOnSource({ action: "accept", commit: second }), {
    message: /^the newest commit of the branch is [0-9a-f]{12}, not /i,
  });
  const accepted = await control.actOnSource({
    action: "accept",
    commit: rewritten.slice(0, 12),
  });
  t.like(accepted, { commit: rewritten, refused: undefined });
  await daemon.until("running the accepted commit", runs(daemon, rewritten));
});

test("a start needs no repository, a rewritten branch needs its user, a changed file is put back", async (t) => {
  t.timeout(120_000);
  const remote = new Remote(t);
  const base = folder(t, {});
  const first = remote.commit({ "hosts/a/main.reeve": hook("one") });
  const second = remote.commit({ "hosts/a/main.reeve": hook("two") });
  const path = ["--path", "hosts/a"];
  let daemon = follow(t, remote, path, base);
  await daemon.until("running", runs(daemon, second));

  const current = join(daemon.state, "source", "current");
  const file = join(realpathSync(current), "main.reeve");
  chmodSync(file, 0o644);
  writeFileSync(file, `${hook("two")}# by hand\n`);
  const changed = readlinkSync(current);
  await daemon.until("restored", async () => readlinkSync(current) !== changed);
  t.is(readFileSync(join(current, "main.reeve"), "utf8"), hook("two"));
  await daemon.end("SIGKILL");

  const aside = `${remote.directory}.aside`;
  renameSync(remote.directory, aside);
  daemon = follow(t, remote, path, base);
  await daemon.until("running without the repository", runs(daemon, second));
  renameSync(aside, remote.directory);

  remote.git("reset", "-q", "--hard", first);
  const other = remote.commit({ "hosts/a/main.reeve": hook("other") });
  await daemon.until("refusing the rewritten branch", reports(daemon, "source_rewritten"));
  t.is((await daemon.control.status()).generation?.git?.commit, second);
  await daemon.end();
  daemon = follow(t, remote, [...path, "--anchor", other.slice(0, 12)], base);
  await daemon.until("accepting it", runs(daemon, other));
});

test("only commits of allowed signers are applied", async (t) => {
  t.timeout(120_000);
  const remote = new Remote(t);
  const base = folder(t, {});
  const key = (name: string): string => {
    const path = join(base, name);
    output("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", path]);
    return path;
  };
  const [known, unknown] = [key("known"), key("unknown")];
  const publicKey = readFileSync(`${known}.pub`, "utf8");
  const signers = join(base, "signers");
  writeFileSync(signers, `test@localhost ${publicKey}`);
  remote.git("config", "gpg.format", "ssh");
  const signed = (name: string, path: string, date?: string): string => {
    remote.git("config", "user.signingkey", path);
    const dated = date === undefined ? [] : ["--date", date];
    return remote.commit({ "main.reeve": hook(name) }, "-S", ...dated);
  };
  const first = signed("one", known);
  const daemon = follow(t, remote, ["--signers", signers], base);
  await daemon.until("running the signed commit", runs(daemon, first));

  for (const make of [
    () => remote.commit({ "main.reeve": hook("unsigned") }),
    () => signed("foreign", unknown),
  ]) {
    const refused = make();
    await daemon.until("refusing it", async () => {
      const { conditions } = await daemon.control.status();
      return conditions.some(
        ({ code, reason }) => code === "source_unsigned" && reason.includes(refused.slice(0, 12)),
      );
    });
    t.is((await daemon.control.status()).generation?.git?.commit, first);
  }
  const next = signed("next", known);
  await daemon.until("running the next signed commit", runs(daemon, next));
});

test("without a commit on disk the daemon waits for the repository and is not ready", async (t) => {
  t.timeout(120_000);
  const remote = new Remote(t);
  const daemon = follow(t, remote);
  await daemon.until("waiting", async () => {
    const { ready, reasons } = await daemon.control.readiness();
    return !ready && reasons.some((reason) => reason.includes("no branch `main`"));
  });
  const first = remote.commit({ "main.reeve": hook("one") });
  await daemon.until("running", runs(daemon, first));
  t.true((await daemon.control.readiness()).ready);
});

for (const [args, says] of [
  [["git+https://a.example/b.git"], "names no branch"],
  [["git+https://a.example/b.git#-x"], "names no branch"],
  [["git+ext::sh#main"], "is no address of a repository"],
  [["git+https://u:secret@a.example/b.git#main"], "the address contains a password"],
  [["git+file:///a#main", "--path", "../x"], "is no directory of a repository"],
  [["git+file:///a#main", "--poll", "0"], "is no number of seconds"],
  [["git+file:///a#main", "--anchor", "HEAD"], "is no commit"],
  [["git+file:///a#main", "--signers", "./missing"], "there is no `./missing`"],
  [["--signers", "./x"], "`--signers` belongs to a git repository"],
] as const) {
  test(`up ${args.join(" ")}: ${says}`, async (t) => {
    // It is refused before it becomes a daemon.
    const { code, stdout, stderr } = await reeve(["up", ...args], {
      cwd: folder(t),
      isAlone: false,
    });
    t.not(code, 0);
    const said = stdout + stderr;
    t.true(said.includes(says), said);
    t.false(said.includes("secret@"));
  });
}
