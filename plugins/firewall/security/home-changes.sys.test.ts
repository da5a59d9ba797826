/** What commands do to the home directory reaches the host as they did it, or is named and stays apart. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import test from "ava";
import { awf as awfScript, outputOf } from "../testing/security/attempts.js";
import {
  existingForms,
  homeFiles,
  noteProbes,
  probesThatRan,
} from "../testing/security/probe-counts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

test.after("probes that ran", (t) => {
  for (const line of probesThatRan()) t.log(line);
});

const quiet = ["--log-level", "error"];
const large = 3 * 1024 * 1024;

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  for (const [what, attack] of Object.entries(existingForms))
    test(`${what} a start file or secret that exists changes nothing (as ${as})`, async (t) => {
      await using world = await createTestInternet({});
      const { home } = world;
      for (const path of homeFiles) {
        mkdirSync(dirname(join(home, path)), { recursive: true });
        writeFileSync(join(home, path), "mine\n", { mode: 0o640 });
      }
      const before = homeFiles.map((path) => statSync(join(home, path)).mtimeMs);
      const lines = homeFiles.map((path) => attack(`~/${path}`)).join("\n");
      await world.awf([...quiet, "--", `{ ${lines}\n} 2>/dev/null; true`], { ordinary });
      const changed = homeFiles.filter((path, index) => {
        const { mode, mtimeMs } = statSync(join(home, path));
        const text = readFileSync(join(home, path), "utf8");
        return text !== "mine\n" || (mode & 0o777) !== 0o640 || mtimeMs !== before[index];
      });
      t.deepEqual(changed, []);
      noteProbes(as, homeFiles.length);
    });

  test(`nothing is lost when directories of settings and large files are renamed (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    for (const path of [".config/tool", "data"]) mkdirSync(join(home, path), { recursive: true });
    const content = Buffer.alloc(large, "x");
    for (const path of [".config/tool/big.db", "data/big.db"])
      writeFileSync(join(home, path), content);
    writeFileSync(join(home, "notes"), "notes\n");
    const script =
      "set -e; mv ~/.config ~/config.bak; mv ~/data ~/other; mv ~/other ~/data2; mv ~/notes ~/.hidden";
    const { code, stderr } = await world.awf(["--", script], { ordinary });
    t.is(code, 0);
    for (const path of [".config/tool/big.db", "config.bak/tool/big.db", "data2/big.db"])
      t.true(readFileSync(join(home, path)).equals(content), path);
    t.false(existsSync(join(home, "data")));
    t.false(existsSync(join(home, "notes")));
    const [, apart = ""] = /What it wrote there is in (\S+) for a week/.exec(stderr) ?? [];
    t.is(readFileSync(join(apart, "home-0/.hidden"), "utf8"), "notes\n", stderr);
    t.is(statSync(dirname(apart)).mode & 0o777, 0o700);
  });

  test(`directories are removed, made again and closed as usual (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    for (const path of ["gone/deep", "again/old", ".cache/old"])
      mkdirSync(join(home, path), { recursive: true });
    for (const path of ["gone/deep/a", "again/old/a", ".cache/old/a"])
      writeFileSync(join(home, path), "a\n");
    const script = `set -e; rm -rf ~/gone ~/.cache/old ~/again; mkdir ~/again; echo b > ~/again/b
      mkdir -p ~/closed/deep; echo c > ~/closed/deep/c; chmod 0 ~/closed/deep; chmod 500 ~/closed`;
    const { code, stderr } = await world.awf([...quiet, "--", script], { ordinary });
    t.is(code, 0, stderr);
    t.deepEqual(readdirSync(home).sort(), [".cache", ".local", "again", "closed"]);
    t.deepEqual(readdirSync(join(home, "again")), ["b"]);
    // awf keeps its own compiled code there.
    t.deepEqual(
      readdirSync(join(home, ".cache")).filter((name) => name !== "reeve"),
      [],
    );
    t.is(statSync(join(home, "closed")).mode & 0o777, 0o500);
    t.is(statSync(join(home, "closed/deep")).mode & 0o777, 0);
    chmodSync(join(home, "closed/deep"), 0o700);
    t.is(readFileSync(join(home, "closed/deep/c"), "utf8"), "c\n");
    chmodSync(join(home, "closed"), 0o700);
  });

  test(`--allow-write ~ leaves a workspace below it writable at once (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    const project = join(home, "project");
    mkdirSync(project);
    const run = world.start(
      process.execPath,
      [
        ...[awfScript, ...quiet, "--allow-write", home, "--container-workdir", project, "--"],
        "echo live > here; echo later > ~/there; echo up; read -r _",
      ],
      { ordinary, stdin: "open", directory: project },
    );
    await outputOf(run, "up");
    t.is(readFileSync(join(project, "here"), "utf8"), "live\n");
    t.false(existsSync(join(home, "there")));
    run.child.stdin?.end("\n");
    await run.result;
    t.is(readFileSync(join(home, "there"), "utf8"), "later\n");
  });

  test(`a file system that is mounted in the home directory is shown (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const data = join(world.home, "data");
    mkdirSync(data);
    const line = `cat ~/data/here; echo work 2>/dev/null > ~/data/work && cat ~/data/work; echo kept 2>/dev/null > ~/kept; true`;
    const asUser = ordinary ? ["unshare", "--user", "--map-user=1234", "--map-group=1234"] : [];
    const { stdout, stderr } = await world.start("/usr/bin/unshare", [
      ...[
        "--mount",
        "sh",
        "-c",
        'mount -t tmpfs tmpfs "$0" && echo there > "$0/here" && exec "$@"',
      ],
      ...[data, ...asUser, process.execPath, awfScript, "--", line],
    ]).result;
    if (ordinary) {
      // The kernel lets no user see below what root has mounted.
      t.regex(stderr, /\[WARN\] The home directory was read-only, since this system cannot mount/);
      t.is(stdout, "there\nwork\n");
    } else t.is(stdout, "there\nwork\n", stderr);
    t.is(existsSync(join(world.home, "kept")), !ordinary);
  });

  test(`a mount of the home directory as it is gets a warning (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { stderr } = await world.awf(["-v", `${world.home}:/mnt:rw`, "--", "true"], { ordinary });
    t.regex(stderr, /\[WARN\] At \/mnt the command has your home directory as it is/);
  });
}
