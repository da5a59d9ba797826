/** A run says which of its files an earlier sandboxed command changed. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

// Each test starts many sandboxes, so one at a time.
test.beforeEach((t) => t.timeout(90_000));

const notice = /\[WARN\] Changed while an earlier sandboxed command ran, so check it: (.*)\. touch/;

/** Where each file of a run lies, what makes awf use it, and what is in it. */
const files: ReadonlyArray<
  readonly [what: string, path: string, options: (path: string) => string[], text: string]
> = [
  ["a domains file", "lists/allow", (path) => ["--allow-domains-file", path], "a.test\n"],
  [
    "a list of blocked domains",
    "lists/block",
    (path) => ["--block-domains-file", path],
    "b.test\n",
  ],
  ["variables", "lists/variables", (path) => ["--env-file", path], "A=1\n"],
  ["a policy", "lists/main.reeve", (path) => ["--config", path], 'sandbox "a" {}\n'],
  ["a log", "lists/access.jsonl", (path) => ["--proxy-logs-dir", join(path, "..")], ""],
];

const inside = ({ workspace }: TestInternet) => ["--container-workdir", workspace, "--"];

async function noticeOf(world: TestInternet, options: readonly string[], ordinary: boolean) {
  const { stderr } = await world.awf([...options, "--", "true"], { ordinary });
  return notice.exec(stderr)?.[1];
}

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test.serial(
    `each file that an earlier command wrote is named until the user touches it (as ${as})`,
    async (t) => {
      await using world = await createTestInternet({});
      const { workspace } = world;
      mkdirSync(join(workspace, "lists"));
      const paths = files.map(([, name]) => join(workspace, name));
      const options = files.flatMap(([, name, optionsOf]) => optionsOf(join(workspace, name)));
      const ask = () => noticeOf(world, options, ordinary);
      for (const [, name, , text] of files) writeFileSync(join(workspace, name), text);
      t.is(await ask(), undefined);
      const changes = files.map(([, name]) => `cp ${name} c; cat c > ${name}`).join("; ");
      await world.awf([...inside(world), changes], { ordinary });
      for (let again = 0; again < 2; again += 1) {
        const named = ((await ask()) ?? "").split("), ").map((each) => each.replace(/\)$/, ""));
        t.is(named.length, files.length, named.join());
        for (const [index, path] of paths.entries()) {
          const [what] = files[index] ?? [];
          const isNamed = new RegExp(`^${path} \\(.* UTC: cp$`);
          t.true(
            named.some((each) => isNamed.test(each)),
            `${what}: ${named.join()}`,
          );
        }
      }
      const now = new Date();
      for (const path of paths) utimesSync(path, now, now);
      t.is(await ask(), undefined);
    },
  );

  test.serial(
    `a file that was replaced, made, or brought by renaming a directory is named (as ${as})`,
    async (t) => {
      await using world = await createTestInternet({});
      const { workspace } = world;
      const list = join(workspace, "lists/allow");
      for (const name of ["lists", "other"]) {
        mkdirSync(join(workspace, name));
        writeFileSync(join(workspace, name, "allow"), `${name}.test\n`);
      }
      const ask = () => noticeOf(world, ["--allow-domains-file", list], ordinary);
      t.is(await ask(), undefined);
      await world.awf([...inside(world), "mv lists l; mv other lists"], { ordinary });
      t.regex((await ask()) ?? "", /UTC: mv\)/);
      writeFileSync(list, "x.test\n");
      t.is(await ask(), undefined);
      await world.awf([...inside(world), "echo y.test > n; mv n lists/allow"], { ordinary });
      t.regex((await ask()) ?? "", /UTC: echo\)/);
    },
  );

  test.serial(
    `nothing is said about changes between runs, or by the runs themselves (as ${as})`,
    async (t) => {
      await using world = await createTestInternet({});
      const { workspace, home } = world;
      const list = join(workspace, "allow");
      writeFileSync(list, "a.test\n");
      const logs = join(home, "logs");
      const options = ["--allow-domains-file", list, "--proxy-logs-dir", logs];
      const run = (line: string) => world.awf([...options, ...inside(world), line], { ordinary });
      for (let time = 0; time < 3; time += 1) {
        const { stderr } = await run(`echo x >> ${list}; curl -s http://a.test/; touch other`);
        t.notRegex(stderr, notice);
        writeFileSync(`${list}~`, "b.test\n");
        renameSync(`${list}~`, list);
      }
    },
  );

  test.serial(`no command can read or forge the records (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home } = world;
    const list = join(workspace, "allow");
    writeFileSync(list, "a.test\n");
    const state = join(home, ".local/state");
    const records = join(state, "reeve/awf/runs.jsonl");
    const attempts = [
      `cat ${records}`,
      `echo '{}' > ${records}`,
      `rm -rf ${state}/reeve`,
      `mv ${state}/reeve ${state}/r`,
      `mv ${state} ${state}2`,
      `mv ${home}/.local ${home}/l; mkdir -p ${state}/reeve/awf`,
    ];
    const line = `echo evil.test > allow; { ${attempts.join("; ")}; } 2>/dev/null; true`;
    for (let time = 0; time < 2; time += 1) {
      const { stdout } = await world.awf([...inside(world), line], { ordinary });
      t.is(stdout, "");
    }
    t.true(existsSync(records));
    t.regex((await noticeOf(world, ["--allow-domains-file", list], ordinary)) ?? "", /UTC: echo\)/);
  });
}

test.serial(
  "the notice is one line, a line of JSON with --json, and a line of the log",
  async (t) => {
    await using world = await createTestInternet({});
    const logs = join(world.scratch, "logs");
    await world.awf([...inside(world), "printf 'a.test\\n' > allow; printf 'A=1\\n' > variables"]);
    const options = ["--allow-domains-file", "allow", "--env-file", "variables"];
    const { stderr } = await world.awf([
      ...[...options, "--proxy-logs-dir", logs, "--json", "--log-level", "warn", "--", "true"],
    ]);
    const [line = ""] = stderr.split("\n");
    const { level, message } = JSON.parse(line) as { level: string; message: string };
    t.is(level, "warn");
    t.regex(message, /\/allow \(.*\), \S+\/variables \(/);
    const [first = ""] = readFileSync(join(logs, "access.jsonl"), "utf8").split("\n");
    const { notice: kind, files: named } = JSON.parse(first) as {
      notice: string;
      files: Array<{ path: string }>;
    };
    t.is(kind, "changed-files");
    t.deepEqual(
      named.map(({ path }) => path),
      ["allow", "variables"].map((name) => join(world.workspace, name)),
    );
    const stats = await world.awf(["logs", "stats", "--source", logs, "--format", "json"]);
    t.is((JSON.parse(stats.stdout) as { totalRequests: number }).totalRequests, 0);
  },
);
