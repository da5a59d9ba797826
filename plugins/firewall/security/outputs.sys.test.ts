/** The files that the caller opened as input and outputs: the command has no more of them than their purpose. */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf, nothingLeft, uniqueWord } from "../testing/security/attempts.js";
import { onTerminal } from "../testing/terminal.js";
import {
  createTestInternet,
  type StartedProgram,
  type TestInternet,
} from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const functions = `AWF() { '${process.execPath}' '${awf}' --log-level error --dns-servers 8.8.8.8 "$@"; }`;

/** Runs a line of a shell in which `AWF` starts awf, with a file `log` of two lines. */
function shell(world: TestInternet, line: string, ordinary: boolean): StartedProgram {
  writeFileSync(join(world.workspace, "log"), "early\nlater\n", { mode: 0o666 });
  return world.start("/bin/bash", ["-c", `${functions}\n${line}`], { ordinary });
}

const log = ({ workspace }: TestInternet) => readFileSync(join(workspace, "log"), "utf8");

/** Reads, truncates and overwrites what a descriptor leads to. */
const attack = (descriptor: number) => `
  touch read-${descriptor}; timeout 0.3 head -n1 < /proc/self/fd/${descriptor} > read-${descriptor} 2>/dev/null
  python3 -c 'import os
try: os.pwrite(os.open("/proc/self/fd/${descriptor}", os.O_RDWR), b"evil", 0)
except OSError: pass' 2>/dev/null
  : > /proc/self/fd/${descriptor}`;

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  const redirections: ReadonlyArray<readonly [name: string, redirection: string]> = [
    ["output", ">> log"],
    ["error output", "2>> log >/dev/null"],
    ["both outputs", ">> log 2>&1"],
    ["output, open for reading as well", "1<> log"],
    ["both outputs, opened twice", ">> log 2>> log"],
  ];
  for (const [name, redirection] of redirections)
    test(`a file as ${name} cannot be read, truncated or overwritten (as ${as})`, async (t) => {
      await using world = await createTestInternet({});
      const command = `${attack(1)}\n${attack(2)}\necho end >&2; cat read-1 read-2 >&2`;
      await shell(
        world,
        `AWF --container-workdir "$PWD" -- '${command.replaceAll("'", `'\\''`)}' ${redirection}`,
        ordinary,
      ).result;
      const read = (file: string) => readFileSync(join(world.workspace, file), "utf8");
      t.notRegex(read("read-1") + read("read-2"), /early|later/);
      const written = redirection.startsWith("1<>") ? /^early\nlater\n$/ : /^early\nlater\n(evil)*/;
      t.regex(log(world), written);
      if (redirection.includes("2>")) t.regex(log(world), /^early\nlater\n(evil)*end\n/);
    });

  test(`outputs in one file keep their order, at any length, with the exit code (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "for n in {1..5000}; do echo out $n; echo error $n >&2; done; exit 7";
    const line = `AWF -- '${command}' >> log 2>&1; echo $?`;
    t.is((await shell(world, line, ordinary).result).stdout, "7\n");
    const lines = Array.from({ length: 5000 }, (_, n) => `out ${n + 1}\nerror ${n + 1}\n`);
    t.is(log(world), `early\nlater\n${lines.join("")}Process exiting with code: 7\n`);
  });

  test(`a hundred megabytes pass to a file, beside another of errors (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "head -c 100000000 /dev/zero; head -c 20000000 /dev/zero >&2; exit 3";
    const line = `AWF -- '${command}' > big 2> errors; echo $?`;
    t.is((await shell(world, line, ordinary).result).stdout, "3\n");
    const size = (name: string) => statSync(join(world.workspace, name)).size;
    t.is(size("big"), 100_000_000);
    t.is(size("errors"), 20_000_000 + "Process exiting with code: 3\n".length);
  });

  test(`a background process with the output keeps no run open (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const word = uniqueWord();
    const command = `(trap '' HUP TERM; setsid bash -c ': ${word}; while :; do sleep 0.05; done') & echo hi; exit 4`;
    const line = `AWF -- "${command}" > log; echo $?; AWF -- "${command}" > log 2> errors; echo $?`;
    t.is((await shell(world, line, ordinary).result).stdout, "4\n4\n");
    t.is(log(world), "hi\n");
    await nothingLeft(word);
  });

  test(`outputs can be opened by name, and nothing else is open (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "echo a > /dev/stdout; echo b > /dev/stderr; ls /proc/self/fd | wc -l";
    const line = `
      for files in '> log' '2> log' '> log 2>&1' '> log 2> errors' '< errors' '< errors > log 2>&1'; do
        eval "AWF -- '${command}; grep SigIgn /proc/self/status' $files 7<> errors 12< / 15>> errors"
        cat log; : > log
      done 2>&1 | cat`;
    const { stdout } = await shell(world, line, ordinary).result;
    t.deepEqual([...new Set(stdout.match(/^\d+$/gm))], ["4"], stdout);
    t.is(stdout.match(/^a$/gm)?.length, 6, stdout);
    t.is(stdout.match(/^b$/gm)?.length, 5, stdout);
    t.deepEqual([...new Set(stdout.match(/SigIgn.*/g))], ["SigIgn:\t0000000000000000"], stdout);
  });

  test(`a full disk under an output is an error (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const line = `
      AWF -- 'echo hi' > /dev/full; echo $?
      AWF -- 'echo hi >&2; exit 6' 2> /dev/full; echo $?
      AWF -- 'echo hi' > /dev/full 2>&1; echo $?`;
    const { stdout, stderr } = await shell(world, line, ordinary).result;
    t.is(stdout, "1\n6\n1\n");
    t.regex(stderr, /No space left on device/);
  });

  test(`a file opened for both is an input only from where it is (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = `cat; ${attack(0)}`.replaceAll("'", `'\\''`);
    const line = `{ read first; AWF -- '${command}; cat read-0'; } <> log`;
    t.is((await shell(world, line, ordinary).result).stdout, "later\n");
    t.is(log(world), "early\nlater\n");
  });

  test(`a directory as output leads nowhere (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const line =
      "AWF -- 'ls /proc/self/fd/1/ /proc/self/fd/2/' 1< / ; AWF -- 'ls /proc/self/fd/2/' 2< /";
    t.is((await shell(world, line, ordinary).result).stdout, "");
  });

  test(`--tty and an output in a file: no process inside has the file (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "for p in /proc/[0-9]*; do stat -Lc %F $p/fd/1; done | sort | uniq -c; exit 5";
    const line = `AWF --tty -- '${command}' >> log; echo $?`;
    t.is((await shell(world, line, ordinary).result).stdout, "5\n");
    t.regex(log(world), /^early\nlater\n/);
    t.regex(log(world), /fifo/);
    t.notRegex(log(world), /regular/);
  });

  test(`SIGTERM passes to a command whose output is a file (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "trap 'echo bye; exit 0' TERM; echo up >&2; while :; do sleep 0.05; done";
    const started = shell(
      world,
      `exec '${process.execPath}' '${awf}' -- "${command}" >> log`,
      ordinary,
    );
    await started.program.says(/^up/m);
    started.child.kill("SIGTERM");
    t.is((await started.result).code, 143);
    t.is(log(world), "early\nlater\nbye\n");
  });

  test(`what is typed at a terminal that is the output stays there (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = `
      test -t 1 || test -t 2 || echo no terminal; echo up
      for fd in 1 2; do timeout 1 cat < /proc/self/fd/$fd > read-$fd; done & wait
      python3 -c 'import fcntl,termios
for fd in 1, 2:
  try: fcntl.ioctl(fd, termios.TIOCSTI, b"x"); print("evil")
  except OSError: pass'`;
    writeFileSync(join(world.workspace, "command"), command);
    const run = onTerminal(
      world,
      `AWF --container-workdir "$PWD" -- "$(cat command)" < /dev/null; read -t 30 line; echo "shell has $line"`,
      ordinary,
    );
    await run.until(/up/);
    run.press("typed\r");
    const { stdout } = await run.result;
    t.regex(stdout, /no terminal\r\nup[\s\S]*shell has typed/);
    t.notRegex(stdout, /evil/);
    for (const name of ["read-1", "read-2"])
      t.notRegex(readFileSync(join(world.workspace, name), "utf8"), /typed/);
  });

  test(`a terminal that is input and output is the command's (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "test -t 0 && test -t 1 && test -t 2 && read -r line && echo got $line";
    const run = onTerminal(world, `echo go; AWF -- '${command}'`, ordinary);
    await run.until(/go/);
    run.press("typed\r");
    t.regex((await run.result).stdout, /got typed\r\n/);
  });

  test(`Ctrl-C reaches the command, whose last words reach the terminal (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const command = "trap 'echo bye; exit 0' INT; echo up; while :; do sleep 0.05; done";
    for (const redirection of ["", "< /dev/null", "2> errors", "| (trap '' INT; cat)"]) {
      const line = `AWF -- "${command}" ${redirection}; echo ended \${PIPESTATUS[0]}`;
      const run = onTerminal(world, `trap : INT; ${line}`, ordinary);
      await run.until(/up/);
      run.press("\u0003");
      t.regex((await run.result).stdout, /bye\r\n[\s\S]*ended 130/, redirection);
    }
  });

  test(`the command takes no key of --ask by its outputs (as ${as})`, async (t) => {
    await using world = await createTestInternet({ "x.test": ["93.184.216.34"] });
    const command = `cat <&1 >/dev/null & cat <&2 >/dev/null & curl -s -o /dev/null -w '%{http_code} ' http://x.test/`;
    const run = onTerminal(world, `AWF --ask -- "${command}"`, ordinary);
    await run.until(/wants to reach/);
    run.press("o");
    t.regex((await run.result).stdout, /200 /);
  });
}
