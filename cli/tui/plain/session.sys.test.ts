/** The dashboard for screen readers: what is said at first, on commands, and as it happens. */
import test, { type ExecutionContext } from "ava";
import { connect } from "../../control/client.js";
import { type Answers, daemonDouble } from "../../testing/daemon-double.js";
import { NOW, plugin } from "../../testing/samples.js";
import { dashboardAnswers } from "../testing/answers.js";
import { busyModel } from "../testing/busy-model.js";
import { model } from "../testing/model.js";
import { screens } from "../testing/screens.js";
import { PlainSession } from "./session.js";
import { spoken } from "./spoken.js";

const lines: ReadonlyArray<readonly [line: string, said: string | undefined]> = [
  ["✗ weather is quarantined", "failed: weather is quarantined"],
  ["  state  ✓ succeeded  3s ago", "state, ok: succeeded, 3s ago"],
  ["● running", "running"],
  ["\u001b[31m✗ failed\u001b[39m", "failed"],
  ["deploy  ▰▰▰▱▱▱ of ~5s", "deploy, of ~5s"],
  ["build  ····▂···▃··✗···  14", "build, 14"],
  ["13:02      13:32     14:02", undefined],
  ["⣿⣿⡇⢸⣿", undefined],
  ["╭─────────╮", undefined],
  ["left-foo 1.0.0 → 1.1.0", "left-foo 1.0.0 → 1.1.0"],
  ["12 updated, 9 unchanged", "12 updated, 9 unchanged"],
];
for (const [line, said] of lines) {
  test(`${JSON.stringify(line)} is said as ${JSON.stringify(said ?? "nothing")}`, (t) => {
    t.is(spoken(line), said);
  });
}

interface Wanted {
  readonly readOnly?: boolean;
  readonly of?: typeof model;
  readonly answers?: Answers;
}

async function session(
  t: ExecutionContext,
  { readOnly = false, of = model, answers }: Wanted = {},
) {
  const daemon = await daemonDouble({ ...dashboardAnswers, ...answers });
  t.teardown(() => daemon.close());
  let said: string[] = [];
  const opened = new PlainSession(
    {
      ...{ control: connect({ control: daemon.socket }), screens, screen: "overview", readOnly },
      write: (line) => said.push(line),
      withRun: async () => of,
    },
    of,
  );
  opened.start();
  const taken = (): string => {
    const text = said.join("\n");
    said = [];
    return text;
  };
  return {
    opened,
    taken,
    received: (request: string) => daemon.requests.some((each) => each.request === request),
    /** What is said on these lines. */
    async write(...commands: readonly string[]): Promise<string> {
      taken();
      for (const command of commands) await opened.command(command);
      return taken();
    },
  };
}

test("it begins with whether all is well, and how to go on", async (t) => {
  const { taken } = await session(t);
  t.regex(taken(), /^reeve 0\.1\.0, running\. Write help[\s\S]*\nfailed: weather is quarantined/);
});

const answers: ReadonlyArray<readonly [commands: readonly string[], said: RegExp]> = [
  [["2"], /^Hooks\. Lists: Hooks, Runs,[\s\S]*\n1\. hook deploy, calls 30, .*rejected 10/],
  [["hooks", "list runs"], /Runs, 1 to 3 of 3:\n1\. running, hook\.deploy/],
  [["2", "list Runs", "open 3"], /hook\.deploy, failed, r-0001\n[\s\S]*no such branch/],
  [["2", "open 1"], /Hooks\. [\s\S]*Runs, 1 to 2 of 2/],
  [["2", "list cats"], /Hooks has no list `cats`\. It has Hooks, Runs/],
  [["7", "filter 11"], /Generations, 1 to 1 of 1:\n1\. number 11/],
  [["find bld"], /^1\. build, in Hooks, Hooks/],
  [["find r-0002", "open 1"], /hook\.build, ok: succeeded, r-0002/],
  [["find zzqz"], /Nothing is called `zzqz`/],
  [["open 7"], /There is no row 7/],
  [["8", "more"], /There is no more/],
  [["dance"], /There is no command `dance`\. Write help/],
  [["6", "help"], /restart N: start the chosen plugin afresh/],
];
for (const [commands, wanted] of answers) {
  test(`${commands.join(", then ")}: ${wanted.source.slice(0, 40)}`, async (t) => {
    const { write } = await session(t);
    const said = await write(...commands);
    t.regex(said, wanted);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: nothing of it moves a cursor or draws.
    t.regex(said, /^[^\u0000-\u0009\u000b-\u001f\u2500-\u259f\u2800-\u28ff]*$/u);
  });
}

test("an action asks first, and is done only after yes", async (t) => {
  const { write, received } = await session(t, {
    answers: { "POST /v1/plugins/:id/restart": () => plugin },
  });
  t.regex(await write("6", "restart 1"), /Start hooks afresh\?.* Write yes or no\.$/);
  t.is(await write("no"), "Nothing was done.");
  t.false(received("POST /v1/plugins/hooks/restart"));
  t.is(
    await write("restart 1", "yes"),
    "Start hooks afresh? What it is doing is given up. Write yes or no.\nhooks is running",
  );
  t.true(received("POST /v1/plugins/hooks/restart"));
});

test("read-only has no command that changes something", async (t) => {
  const { write } = await session(t, { readOnly: true });
  t.regex(await write("6", "restart 1"), /There is no command `restart`/);
});

test("what happens is said once, oldest first; quiet stops that", async (t) => {
  const { opened, taken, write } = await session(t);
  taken();
  const event = (sequence: number, state: string) => ({
    ...{ sequence, at: NOW, type: "hook.finished", plugin: "hooks" },
    data: { hook: "build", state },
  });
  const events = [event(14, "failed"), event(13, "succeeded"), ...model.events];
  opened.update({ ...model, events });
  t.is(taken(), "ok: build succeeded\nfailed: build failed");
  opened.update({ ...model, events });
  t.is(taken(), "");
  await write("quiet");
  opened.update({ ...model, events: [event(15, "failed"), ...events] });
  t.is(taken(), "");
});

test("a change of the verdict is said", async (t) => {
  const { opened, taken } = await session(t, { of: busyModel });
  taken();
  opened.update({ ...busyModel, runs: [], status: { ...busyModel.status, plugins: [] } as never });
  t.is(taken(), "All is well.");
});

test("quit ends it", async (t) => {
  const { opened } = await session(t);
  t.true(await opened.command("help"));
  t.false(await opened.command("quit"));
});
