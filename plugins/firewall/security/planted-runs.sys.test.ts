/** Nobody else, and no command, can plant a run whose changes awf takes over. */
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const quiet = ["--log-level", "error"];
const named = /awf recover \d+ takes them over/;
const isRoot = process.getuid?.() === 0;
const otherUser = 4321;

const unfinished = (home: string): string => join(home, ".local/state/reeve/awf/unfinished");

/** A process that has ended, as runs note it. */
async function endedOwner(t: ExecutionContext): Promise<object> {
  const program = child(t, "true");
  await program.ended;
  const text = (path: string) => (existsSync(path) ? readFileSync(path, "utf8").trim() : "");
  return {
    ...{ pid: program.pid, born: "1", namespace: "" },
    ...{ boot: "another", machine: text("/etc/machine-id") },
  };
}

/** The note of a run that wrote `authorized_keys`, whose private copies lie in `root`. */
const planted = (home: string, root: string, owner: object): string =>
  JSON.stringify({
    ...{ format: 1, label: "true", since: Date.now(), owner },
    record: {
      homes: [
        {
          ...{ home, name: "", root, writable: true, opened: [], allowed: [], held: [] },
          ...{ relocated: [], since: Date.now(), uid: process.getuid?.(), gid: process.getgid?.() },
        },
      ],
      ...{ repositories: { roots: [], since: 0, known: {}, pointers: [], allowed: [] } },
      ...{ unheld: {}, isReviewed: true },
    },
  });

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`what lies in the directory for temporary files is not believed (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home, scratch } = world;
    const temporary = join(scratch, "tmp");
    const owner = await endedOwner(t);
    for (const [index, uid] of [otherUser, 0].entries()) {
      const left = join(temporary, `awf-170000000000${index}`);
      mkdirSync(join(left, "home-0/upper/.ssh"), { recursive: true });
      writeFileSync(join(left, "home-0/upper/.ssh/authorized_keys"), "evil\n");
      writeFileSync(join(left, "home-0/upper/evil"), "evil\n");
      writeFileSync(join(left, "pid"), "999999999\n");
      const { record } = JSON.parse(planted(home, join(left, "home-0"), owner)) as {
        record: object;
      };
      writeFileSync(join(left, "changes.json"), JSON.stringify(record));
      writeFileSync(join(left, "run.json"), planted(home, join(left, "home-0"), owner));
      if (isRoot) for (const path of [left, join(left, "pid")]) chownSync(path, uid, uid);
      chmodSync(left, 0o700);
    }
    const { code } = await world.awf([...quiet, "--", "true"], { ordinary });
    t.is(code, 0);
    t.deepEqual(readdirSync(home).sort(), [".local"]);
    t.is(existsSync(join(temporary, "awf-1700000000000")), isRoot, "another user's stays");
    t.false(existsSync(join(temporary, "awf-1700000000001")), "the user's own is removed");
  });

  const plants: Readonly<Record<string, (directory: string, note: string) => void>> = {
    "a link to a directory": (directory, note) => {
      mkdirSync(`${directory}.real`, { mode: 0o700 });
      writeFileSync(join(`${directory}.real`, "run.json"), note, { mode: 0o600 });
      symlinkSync(`${directory}.real`, directory);
    },
    "a directory open to others": (directory, note) => {
      mkdirSync(directory);
      writeFileSync(join(directory, "run.json"), note, { mode: 0o600 });
      chmodSync(directory, 0o770);
    },
    "a note open to others": (directory, note) => {
      mkdirSync(directory, { mode: 0o700 });
      writeFileSync(join(directory, "run.json"), note);
      chmodSync(join(directory, "run.json"), 0o660);
    },
    "a note that is a link": (directory, note) => {
      mkdirSync(directory, { mode: 0o700 });
      writeFileSync(`${directory}.note`, note, { mode: 0o600 });
      symlinkSync(`${directory}.note`, join(directory, "run.json"));
    },
    "a note with a second name": (directory, note) => {
      mkdirSync(directory, { mode: 0o700 });
      writeFileSync(`${directory}.note`, note, { mode: 0o600 });
      linkSync(`${directory}.note`, join(directory, "run.json"));
    },
    "a note of another format": (directory, note) => {
      mkdirSync(directory, { mode: 0o700 });
      const other = note.replace('"format":1', '"format":2');
      writeFileSync(join(directory, "run.json"), other, { mode: 0o600 });
    },
    "a note that is cut off": (directory, note) => {
      mkdirSync(directory, { mode: 0o700 });
      writeFileSync(join(directory, "run.json"), note.slice(0, 200), { mode: 0o600 });
    },
    ...(isRoot && {
      "another user's directory": (directory: string, note: string) => {
        mkdirSync(directory, { mode: 0o700 });
        writeFileSync(join(directory, "run.json"), note, { mode: 0o600 });
        chownSync(directory, otherUser, otherUser);
      },
      "another user's note": (directory: string, note: string) => {
        mkdirSync(directory, { mode: 0o700 });
        writeFileSync(join(directory, "run.json"), note, { mode: 0o600 });
        chownSync(join(directory, "run.json"), otherUser, otherUser);
      },
    }),
  };
  for (const [what, plant] of Object.entries(plants))
    test(`no run is believed of ${what} (as ${as})`, async (t) => {
      await using world = await createTestInternet({});
      const { home, scratch } = world;
      const copies = join(scratch, "copies");
      mkdirSync(join(copies, "upper"), { recursive: true });
      writeFileSync(join(copies, "upper/evil"), "evil\n");
      mkdirSync(unfinished(home), { recursive: true, mode: 0o700 });
      const note = planted(home, copies, await endedOwner(t));
      plant(join(unfinished(home), "1700000000000"), note);
      const { stderr } = await world.awf(["--", "true"], { ordinary });
      t.notRegex(stderr, named);
      for (const more of [[], ["1700000000000"], ["1700000000000", "--force"]]) {
        const { stdout } = await world.awf(["recover", ...more], { ordinary });
        t.is(stdout, "");
      }
      t.false(existsSync(join(home, "evil")));
    });

  test(`the same note in the user's own directory is believed, so the probes above try what they mean to (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home, scratch } = world;
    mkdirSync(join(scratch, "copies/upper"), { recursive: true });
    writeFileSync(join(scratch, "copies/upper/good"), "good\n");
    const directory = join(unfinished(home), "1700000000000");
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const note = planted(home, join(scratch, "copies"), await endedOwner(t));
    writeFileSync(join(directory, "run.json"), note, { mode: 0o600 });
    t.is((await world.awf(["recover", "1700000000000", "--force"], { ordinary })).code, 0);
    t.true(existsSync(join(home, "good")));
  });

  test(`a directory for runs that others can open is refused in one sentence (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    mkdirSync(unfinished(world.home), { recursive: true });
    chmodSync(unfinished(world.home), 0o777);
    for (const words of [[...quiet, "--", "true"], ["recover"]]) {
      const { code, stderr } = await world.awf(words, { ordinary });
      t.is(code, 1);
      t.regex(stderr, /^\[ERROR\] \S+unfinished says which files a run changes.*chmod 700 \S+\n$/);
    }
  });

  test(`a command cannot plant a run where the state directory lies in its workspace (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home } = world;
    const state = join(workspace, "state");
    mkdirSync(state);
    const environment = { XDG_STATE_HOME: state };
    const directory = "reeve/awf/unfinished/1700000000000";
    const line = [
      `mkdir -p state/${directory}`,
      `echo x > state/${directory}/run.json`,
      `mv state s; mkdir -p state/${directory}; echo x > state/${directory}/run.json`,
      `mv state/reeve r; mkdir -p state/${directory}; echo x > state/${directory}/run.json`,
    ].join("; ");
    const options = [...quiet, "--container-workdir", workspace];
    await world.awf([...options, "--", `{ ${line}; } 2>/dev/null; true`], {
      ordinary,
      environment,
    });
    t.deepEqual(readdirSync(join(state, "reeve/awf/unfinished")), []);
    t.is(statSync(join(state, "reeve/awf/unfinished")).mode & 0o777, 0o700);
    t.deepEqual(readdirSync(home), []);
  });
}
