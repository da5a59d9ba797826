/** `task` blocks: after other runs, and by hand. */
import test, { type ExecutionContext } from "ava";
import type { RunRecord } from "reeve/plugin";
import { type PluginUnderTest, testPlugin } from "reeve/testing";

const MODULE = new URL("../plugin.js", import.meta.url);

interface Fixture {
  readonly plugin: PluginUnderTest;
  /** Starts a task by hand. */
  run(
    task: string,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number;
    readonly run: string;
    readonly detail: string;
  }>;
  /** Runs of a task that have ended, oldest first, as soon as there are so many. */
  ended(task: string, count?: number): Promise<readonly RunRecord[]>;
}

async function started(t: ExecutionContext, config: string): Promise<Fixture> {
  const plugin = await testPlugin(MODULE, { config });
  t.teardown(() => plugin.stop());
  return {
    plugin,
    async run(task, parameters = {}) {
      const { status, body } = await plugin.control({
        url: "/v1/hooks/task/run",
        payload: { task, parameters },
      });
      return { status, ...JSON.parse(body) };
    },
    async ended(task, count = 1) {
      const found = async () =>
        (await plugin.runs({ subject: `task.${task}` }))
          .filter(({ finishedAt }) => finishedAt !== undefined)
          .toReversed();
      await plugin.until(async () => (await found()).length >= count, `${count} runs of ${task}`);
      return found();
    },
  };
}

const text = (run: RunRecord | undefined): string => run?.output.text ?? "";

test("a task follows a run and has its result as a value", async (t) => {
  const at = await started(
    t,
    `task "build" { script = "echo '{\\"version\\":\\"1.2\\"}'" }
task "smoke" {
  after = [task.build]
  run = ["echo", parent.name, parent.kind, parent.state, parent.exit_code, parent.json.version]
}
task "report" {
  after = [task.smoke]
  run = ["echo", parent.json.version ?? "none", parent.output]
}
task "alarm" {
  after = [task.build]
  on = ["failure"]
  run = ["true"]
}
`,
  );
  const { run } = await at.run("build");
  const [smoke] = await at.ended("smoke");
  t.is(text(smoke), "build task success 0 1.2\n");
  t.is(smoke?.trigger, `after task.build ${run}: success`);
  t.like(smoke?.detail, { parent: { run, state: "succeeded" }, trace: run });
  const [report] = await at.ended("report");
  t.is(text(report).trim(), "none build task success 0 1.2");
  t.like(report?.detail, { parent: { run: smoke?.id }, trace: run });
  t.deepEqual(await at.plugin.runs({ subject: "task.alarm" }), []);
});

test("failures, also of a command that cannot start, and `always`", async (t) => {
  const at = await started(
    t,
    `task "broken" { script = "exit 3" }
task "absent" { run = ["/no/such/program"] }
task "missing" {
  after = [task.broken]
  on = ["failure"]
  run = ["echo", parent.json.version]
}
task "alarm" {
  after = [task.absent, task.missing]
  on = ["failure"]
  run = ["echo", parent.name, parent.exit_code ?? "none"]
}
task "clean" {
  after = [task.broken]
  on = ["always"]
  run = ["echo", parent.state]
}
`,
  );
  await at.run("absent");
  t.is(text((await at.ended("alarm"))[0]), "absent none\n");
  await at.run("broken");
  t.is(text((await at.ended("clean"))[0]), "failure\n");
  const [missing] = await at.ended("missing");
  t.is(missing?.state, "failed");
  t.regex(missing?.reason ?? "", /parent\.json/);
  t.is(text((await at.ended("alarm", 2))[1]), "missing none\n");
});

test("parameters are typed and checked", async (t) => {
  const at = await started(
    t,
    `task "deploy" {
  param "env" {
    values = ["staging", "prod"]
    default = "staging"
  }
  param "version" { pattern = re"^v[0-9]+$" }
  param "count" {
    type = "number"
    default = 1
  }
  param "hosts" {
    type = "list"
    default = ["a"]
  }
  param "dry" {
    type = "boolean"
    default = false
  }
  run = ["echo", param.env, param.version, param.count + 1, join(param.hosts, "+"), param.dry ? "dry" : "wet"]
}
`,
  );
  t.is((await at.run("deploy", { version: "v1" })).status, 200);
  t.is(text((await at.ended("deploy"))[0]), "staging v1 2 a wet\n");
  const all = { env: "prod", version: "v2", count: "2.5", hosts: "b,c", dry: "true" };
  const { run } = await at.run("deploy", all);
  t.is(text((await at.ended("deploy", 2))[1]), "prod v2 3.5 b+c dry\n");
  t.like((await at.plugin.run(run))?.detail, { parameters: { env: "prod", count: 2.5 } });
  for (const [parameters, message] of [
    [{}, /needs the parameter `version`/],
    [{ version: "2" }, /`version` is not accepted: `2` does not match/],
    [{ version: "v1", env: "test" }, /`test` is none of staging, prod/],
    [{ version: "v1", count: "many" }, /`count` is a number/],
    [{ version: "v1", dry: "yes" }, /`dry` is a boolean: true or false/],
    [{ version: "v1", speed: "1" }, /has no parameter `speed`: it has env, version/],
  ] as const) {
    const refused = await at.run("deploy", parameters);
    t.is(refused.status, 409);
    t.regex(refused.detail, message);
  }
  t.is((await at.run("deplyo")).status, 404);
  const list = JSON.parse((await at.plugin.control({ url: "/v1/hooks/tasks" })).body);
  t.like(list.tasks[0].schema, {
    required: ["version"],
    properties: {
      env: { enum: ["staging", "prod"], default: "staging" },
      dry: { type: "boolean" },
    },
  });
});

test("a secret parameter is stored nowhere", async (t) => {
  const at = await started(
    t,
    `task "login" {
  param "token" { type = "secret" }
  env = { TOKEN = param.token }
  script = "printf %s \\"$TOKEN\\" | wc -c"
}
`,
  );
  const { run } = await at.run("login", { token: "sesame-sesame" });
  const [record] = await at.ended("login");
  t.is(text(record).trim(), "13");
  t.notRegex(JSON.stringify(await at.plugin.run(run)), /sesame/);
});

for (const [what, config, message] of [
  [
    "a default of another type",
    'param "n" {\n type = "number"\n default = "x"\n}',
    /a text, not a number/,
  ],
  [
    "a default that is not allowed",
    'param "n" {\n values = ["a"]\n default = "x"\n}',
    /`x` is none of a/,
  ],
  ["two parameters of a name", 'param "n" {}\nparam "n" {}', /two parameters `n`/],
] as const) {
  test(`${what} is an error`, async (t) => {
    const at = await started(t, 'task "x" { run = ["true"] }\n');
    const { committed, text: shown } = await at.plugin.reload(
      `task "x" {\n${config}\nrun = ["true"]\n}\n`,
    );
    t.false(committed);
    t.regex(shown, message);
  });
}
