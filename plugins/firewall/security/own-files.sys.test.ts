/** Files that awf itself reads and writes stay out of the command's reach, wherever they are. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf, outputOf } from "../testing/security/attempts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`logs, lists and configuration of a run cannot be changed or replaced (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home } = world;
    const directories = [workspace, home].map((path) => join(path, "settings"));
    for (const directory of directories) mkdirSync(join(directory, "logs"), { recursive: true });
    const files: Record<string, string> = {
      [join(workspace, "settings/allow")]: "a.test\n",
      [join(workspace, "block")]: "b.test\n",
      [join(home, "settings/main.reeve")]: 'import "./more.reeve"\n\nsandbox "a" {}\n',
      [join(home, "settings/more.reeve")]: "",
      [join(home, "variables")]: "A=1\n",
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(path, text);
    const logs = join(home, "settings/logs");
    const targets = [...Object.keys(files), join(logs, "access.log"), join(logs, "access.jsonl")];
    const script = targets.map(
      (path) => `echo evil >> ${path}; echo evil > ${path}~; mv ${path}~ ${path}; rm -f ${path}`,
    );
    const moved = directories.map((path) => `mv ${path} ${path}2; mkdir ${path}`);
    const { stderr } = await world.awf(
      [
        ...["--allow-domains-file", join(workspace, "settings/allow")],
        ...["--block-domains-file", join(workspace, "block")],
        ...["--config", join(home, "settings/main.reeve"), "--env-file", join(home, "variables")],
        ...["--proxy-logs-dir", logs, "--"],
        `curl -s -o /dev/null http://first.test/; { ${[...script, ...moved].join("\n")}\n} 2>/dev/null; curl -s -o /dev/null http://last.test/`,
      ],
      { ordinary },
    );
    for (const [path, text] of Object.entries(files)) t.is(readFileSync(path, "utf8"), text, path);
    const log = readFileSync(join(logs, "access.log"), "utf8");
    t.regex(log, /first\.test[\s\S]*last\.test/, stderr);
    t.notRegex(stderr, /Changed while|evil/);
  });

  test(`a file of the run that the host changes is named at the end (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const list = join(world.scratch, "allow");
    writeFileSync(list, "a.test\n");
    const run = world.start(
      process.execPath,
      [awf, "--allow-domains-file", list, "--", "echo up; cat"],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    appendFileSync(list, "b.test\n");
    run.child.stdin?.end();
    const { stderr } = await run.result;
    t.true(stderr.includes(`Changed while the command ran, which used them as they were: ${list}`));
  });

  test(`a log is not written through a link that an earlier command left (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const logs = join(world.workspace, "logs");
    mkdirSync(logs);
    symlinkSync(join(world.home, ".bash_profile"), join(logs, "access.log"));
    const { code, stderr } = await world.awf(["--proxy-logs-dir", logs, "--", "true"], {
      ordinary,
    });
    t.is(code, 1);
    t.regex(stderr, /\[ERROR\] Cannot write the log to \S+ \(ELOOP\)\. Choose another/);
    t.false(existsSync(join(world.home, ".bash_profile")));
  });
}
