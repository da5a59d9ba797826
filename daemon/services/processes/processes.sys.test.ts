import { randomInt } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import type { Processes, ProcessRequest, ProcessResult } from "../../plugin-api/processes.js";
import type { DaemonServices } from "../contract.js";
import { contextOf, kitFor, temporaryDirectory, until } from "../testing/services.js";

// Inherited where a command asks for them, except where the kit knows a secret in them.
process.env.REEVE_TEST_SECRET = "correct horse";
process.env.REEVE_TEST_PLAIN = "plain";
process.env.REEVE_TEST_URL = "postgres://reeve:correct horse@db/reeve";

/** The same holds for both ways of starting a command. */
function bothWays(
  title: string,
  body: (t: ExecutionContext, processes: Processes, kit: DaemonServices) => Promise<void>,
): void {
  for (const commands of ["fastest", "plain"] as const) {
    test(`${title} (${commands})`, async (t) => {
      const kit = await kitFor(t, { commands });
      await body(t, (await contextOf(kit)).context.processes, kit);
    });
  }
}
const sh = (script: string, ...args: string[]): readonly string[] => [
  "/bin/sh",
  "-c",
  script,
  "sh",
  ...args,
];
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString("utf8");

/** The processes that still run and have `mark` among their arguments. */
const marked = (mark: string): readonly string[] =>
  readdirSync("/proc").filter(
    (entry) => /^\d+$/.test(entry) && read(`/proc/${entry}/cmdline`).includes(mark),
  );

/** Empty where the process is gone, or dead and not buried yet. */
function read(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** An argument for `sleep`, and unlike any other. */
const endless = (): string => `600.${randomInt(1e9)}`;

bothWays(
  "a command that ends is told by its code and its output, in the order of both streams",
  async (t, processes) => {
    const result = await processes.run({
      argv: sh("for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 3"),
    });
    t.like(result, { outcome: "exited", exitCode: 3, signal: undefined, error: undefined });
    t.is(text(result.stdout), "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n");
    t.is(text(result.stderr), "");
    t.true(result.duration > 0);
  },
);

bothWays("separate outputs are told apart, and so are their pieces", async (t, processes) => {
  const pieces: string[] = [];
  const result = await processes.run({
    argv: sh("echo out; echo err >&2"),
    output: "separate",
    onOutput: (stream, data) => pieces.push(`${stream}: ${text(data)}`),
  });
  t.is(text(result.stdout), "out\n");
  t.is(text(result.stderr), "err\n");
  t.deepEqual(pieces.sort(), ["stderr: err\n", "stdout: out\n"]);
});

bothWays("a command that dies of a signal was killed", async (t, processes) => {
  t.like(await processes.run({ argv: sh("kill -SEGV $$") }), {
    outcome: "killed",
    exitCode: undefined,
    signal: "SIGSEGV",
  });
});

const endings: ReadonlyArray<
  readonly [
    what: string,
    script: string,
    request: (() => Partial<ProcessRequest>) | Partial<ProcessRequest>,
    outcome: ProcessResult["outcome"],
  ]
> = [
  ["ends at TERM", 'sleep "$1"', { timeout: 50 }, "timed_out"],
  ["ignores TERM", "trap '' TERM; sleep $1 & wait", { timeout: 50, grace: 100 }, "timed_out"],
  [
    "answers TERM with success",
    "trap 'exit 0' TERM; sleep $1 & wait",
    { timeout: 50 },
    "timed_out",
  ],
  ["is stopped", "kill -STOP $$", { timeout: 50 }, "timed_out"],
  ["is cancelled", 'sleep "$1"', () => ({ signal: AbortSignal.timeout(100) }), "cancelled"],
];

for (const [what, script, request, outcome] of endings) {
  bothWays(`a command that ${what} leaves nobody behind`, async (t, processes) => {
    const mark = endless();
    const result = await processes.run({
      argv: sh(script, mark),
      ...(typeof request === "function" ? request() : request),
    });
    t.is(result.outcome, outcome);
    t.deepEqual(marked(mark), []);
  });
}

/** Waits for the file that says that the other one is ready. */
const ready = 'until [ -e "$2" ]; do sleep 0.01; done';

bothWays(
  "grandchildren that ignore TERM are gone when a command has ended by itself",
  async (t, processes) => {
    const mark = endless();
    const script = `(trap '' TERM; : >"$2"; while :; do sleep "$1"; done) & ${ready}`;
    const file = join(temporaryDirectory(t), "ready");
    const result = await processes.run({ argv: sh(script, mark, file), grace: 100 });
    t.is(result.outcome, "exited");
    t.deepEqual(marked(mark), []);
  },
);

bothWays("a process that has left the group cannot hold the result back", async (t, processes) => {
  const mark = endless();
  const script = `setsid sh -c ': >"$2"; exec sleep "$1"' sh "$1" "$2" & ${ready}`;
  const file = join(temporaryDirectory(t), "ready");
  const result = await processes.run({ argv: sh(script, mark, file) });
  t.is(result.outcome, "exited");
  const escaped = marked(mark);
  t.is(escaped.length, 1);
  process.kill(Number(escaped[0]), "SIGKILL");
});

bothWays("output is kept within its limit: the beginning and the end", async (t, processes) => {
  const script = "echo first; head -c 2000000 /dev/zero | tr '\\0' x; echo; echo last";
  const merged = await processes.run({ argv: sh(script), outputLimit: 1000 });
  t.is(merged.stdout.length, 1000);
  t.is(merged.omitted, 2_000_012 - 1000);
  t.regex(text(merged.stdout), /^first\nx+\nlast\n$/);
  const both = "head -c 5000 /dev/zero | tr '\\0' o; printf 'all of it' >&2";
  const separate = await processes.run({
    argv: sh(both),
    output: "separate",
    outputLimit: 1000,
  });
  t.is(text(separate.stderr), "all of it");
  t.is(separate.stdout.length, 991);
  t.is(separate.omitted, 5000 - 991);
});

bothWays("a command reads what it is given, and need not", async (t, processes) => {
  const secret = { reveal: () => "s3cret-text" } as ProcessRequest["stdin"] & object;
  for (const [stdin, expected] of [
    ["some text", "some text"],
    [Uint8Array.of(104, 105), "hi"],
    [secret, "s3cret-text"],
    [undefined, ""],
  ] as const) {
    const request = { argv: ["cat"], ...(stdin === undefined ? {} : { stdin }) };
    t.is(text((await processes.run(request)).stdout), expected);
  }
  const deaf = await processes.run({ argv: ["true"], stdin: "x".repeat(1_000_000) });
  t.like(deaf, { outcome: "exited", exitCode: 0 });
});

bothWays(
  "the environment: added, replaced, bare, and never with the source of a secret",
  async (t, processes, kit) => {
    kit.mask.add("correct horse");
    const secret = { reveal: () => "battery staple" } as never;
    const show = async (request: Partial<ProcessRequest>): Promise<string> =>
      text(
        (
          await processes.run({
            argv: [
              "/bin/sh",
              "-c",
              'echo "$REEVE_TEST_SECRET$REEVE_TEST_URL,$REEVE_TEST_PLAIN,$ADDED"',
            ],
            ...request,
          })
        ).stdout,
      ).trim();
    t.is(await show({}), ",,");
    t.is(await show({ envFrom: ["REEVE_TEST_*"] }), ",plain,");
    t.is(await show({ envFrom: ["*"], env: { ADDED: secret } }), ",plain,battery staple");
    t.is(await show({ inheritEnv: false, envFrom: ["REEVE_TEST_PLAIN"] }), ",plain,");
    const usual = await processes.run({ argv: ["/usr/bin/env"] });
    for (const line of text(usual.stdout).trim().split("\n"))
      t.regex(line, /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR)=/);
    t.is(kit.mask.text("a battery staple"), "a (secret)", "what was handed out is masked");
    const bare = await processes.run({
      argv: ["/usr/bin/env"],
      env: { A: "1" },
      inheritEnv: false,
    });
    t.is(text(bare.stdout), "A=1\n");
  },
);

bothWays("what cannot start is told in one sentence", async (t, processes) => {
  const directory = temporaryDirectory(t);
  const file = (name: string, content: string, mode: number): string => {
    writeFileSync(join(directory, name), content);
    chmodSync(join(directory, name), mode);
    return join(directory, name);
  };
  const script = file("script", "#!/no/such/interpreter -x\n", 0o755);
  const plain = file("plain", "echo\n", 0o644);
  const cases: ReadonlyArray<readonly [request: ProcessRequest, error: string]> = [
    [{ argv: [] }, "The command has no program to start."],
    [
      { argv: ["no-such-program"], env: { PATH: "/bin:/usr/bin" } },
      'The program "no-such-program" is in no directory of PATH (/bin:/usr/bin).',
    ],
    [{ argv: ["/no/such"] }, "The program /no/such cannot be started: not found."],
    [
      { argv: [plain] },
      `The program ${plain} cannot be started: permission denied (is it marked executable?).`,
    ],
    [{ argv: [directory] }, `The program ${directory} cannot be started: it is a directory.`],
    [
      { argv: [script] },
      `The program ${script} cannot be started: its interpreter /no/such/interpreter is not there.`,
    ],
    [
      { argv: ["true"], cwd: join(directory, "gone") },
      `The command cannot start in the directory ${join(directory, "gone")}: not found.`,
    ],
    [
      { argv: ["true"], cwd: plain },
      `The command cannot start in ${plain}: it is not a directory.`,
    ],
    [
      { argv: ["/bin/true", "hidden\0text"] },
      "The program /bin/true cannot be started: an argument or its environment contains a zero byte.",
    ],
    [
      { argv: ["/bin/true"], env: { A: "hidden\0text" } },
      "The program /bin/true cannot be started: an argument or its environment contains a zero byte.",
    ],
    [
      { argv: ["/bin/true", "x".repeat(3_000_000)] },
      "The program /bin/true cannot be started: its arguments and environment are too long.",
    ],
  ];
  for (const [request, error] of cases) {
    const result = await processes.run(request);
    t.is(result.outcome, "not_started");
    t.is(result.error, error);
  }
});

bothWays("a listener that throws ends its command, not the daemon", async (t, processes) => {
  const onOutput = (): never => {
    throw new Error("no more");
  };
  await t.throwsAsync(processes.run({ argv: sh("echo; sleep 600"), onOutput }), {
    message: "no more",
  });
});

bothWays("two hundred commands at once", async (t, processes) => {
  const results = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      processes.run({ argv: ["/bin/echo", String(index)] }),
    ),
  );
  t.deepEqual(
    results.map(({ stdout }) => text(stdout)),
    Array.from({ length: 200 }, (_, index) => `${index}\n`),
  );
});

bothWays("commands end with the plugin they belong to", async (t, _processes, kit) => {
  const context = await contextOf(kit);
  const mark = endless();
  let hasStarted = false;
  const running = context.context.processes.run({
    argv: sh('echo; sleep "$1"', mark),
    onOutput: () => {
      hasStarted = true;
    },
  });
  await until(() => hasStarted);
  await context.dispose();
  t.deepEqual(marked(mark), []);
  t.is((await running).outcome, "cancelled");
  t.is((await context.context.processes.run({ argv: ["true"] })).outcome, "cancelled");
});
