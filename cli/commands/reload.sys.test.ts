import test from "ava";
import type {
  ConfigurationProblem,
  GenerationDetail,
  ReloadResult,
} from "../../daemon/http/control/api.js";
import { runAgainst } from "../testing/commands.js";
import { generationDetail, snapshot, status } from "../testing/samples.js";

const result: ReloadResult = {
  generation: { ...generationDetail, state: "probation" },
  diagnostics: [],
  sources: {},
};
const text = 'hook "deploy" {\n  timeuot = 1m\n}\n';
const problem: ConfigurationProblem = {
  type: "urn:reeve:configuration_rejected",
  title: "The configuration was rejected",
  status: 409,
  code: "configuration_rejected",
  detail: "The configuration has 1 error.",
  diagnostics: [
    {
      code: "E201",
      severity: "error",
      message: "there is no attribute `timeuot`",
      file: "main.reeve",
      range: {
        start: { line: 2, column: 3, offset: 18 },
        end: { line: 2, column: 10, offset: 25 },
      },
    },
  ],
  sources: { "main.reeve": text },
};

test("a reload says what changed and which generation runs", async (t) => {
  const { code, stdout, stderr } = await runAgainst(t, ["reload"], {
    "POST /v1/reload": () => result,
  });
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  t.regex(stdout, /~ hook\.deploy/);
  t.regex(stdout, /timeout: 1m -> 2m/);
  t.true(stdout.endsWith("\nGeneration 12 runs, on probation (84ms).\n"), stdout);
});

test("a reload that changes nothing says so", async (t) => {
  const { plan: _, ...generation } = generationDetail;
  const { stdout } = await runAgainst(t, ["reload"], {
    "POST /v1/reload": () => ({ ...result, generation: { ...generation, state: "unchanged" } }),
  });
  t.is(stdout, "Nothing changed: what is on disk runs already.\n");
});

test("a refused configuration is shown with carets and ends with 78", async (t) => {
  const { code, stdout, stderr } = await runAgainst(t, ["reload"], {
    "POST /v1/reload": () => problem,
    "GET /v1/status": () => status,
  });
  t.deepEqual({ code, stdout }, { code: 78, stdout: "" });
  t.is(
    stderr,
    `error[E201]: there is no attribute \`timeuot\`
 --> main.reeve:2:3
  |
2 |   timeuot = 1m
  |   ^^^^^^^

1 error, 0 warnings. Generation 12 runs on.
`,
  );
});

test("a plugin's refusal without a place is a sentence", async (t) => {
  const { code, stderr } = await runAgainst(t, ["reload"], {
    "POST /v1/reload": () => ({
      ...problem,
      detail: "The plugin `hooks` cannot listen on 127.0.0.1:80.",
      diagnostics: [],
      sources: {},
    }),
  });
  t.deepEqual(
    { code, stderr },
    { code: 78, stderr: "reeve: The plugin `hooks` cannot listen on 127.0.0.1:80\n" },
  );
});

test("warnings stand beside the outcome", async (t) => {
  const [warning] = problem.diagnostics;
  const { code, stdout, stderr } = await runAgainst(t, ["reload"], {
    "POST /v1/reload": () => ({
      ...result,
      diagnostics: warning ? [{ ...warning, severity: "warning" as const }] : [],
      sources: problem.sources,
    }),
  });
  t.is(code, 0);
  t.regex(stdout, /Generation 12 runs/);
  t.regex(stderr, /^warning\[E201\]/);
});

test("--json prints what the control API says, refused or not", async (t) => {
  const good = await runAgainst(t, ["reload", "--json"], { "POST /v1/reload": () => result });
  t.deepEqual(JSON.parse(good.stdout), result);
  const bad = await runAgainst(t, ["reload", "--json"], { "POST /v1/reload": () => problem });
  t.deepEqual({ code: bad.code, stderr: bad.stderr }, { code: 78, stderr: "" });
  t.deepEqual(JSON.parse(bad.stdout), problem);
});

/** A daemon whose generation 12 is in these states, one after the other. */
const on = (...states: readonly GenerationDetail["state"][]) => {
  const left = [...states];
  return {
    "POST /v1/reload": () => result,
    "GET /v1/generations/:id": () => ({
      ...generationDetail,
      state: left.shift() ?? "committed",
      reason: "`hooks` was not healthy.",
    }),
    "GET /v1/events": async function* () {
      yield snapshot;
      for (const sequence of [8, 9, 10]) {
        yield { line: "event" as const, sequence, at: 1, type: "config.x", data: {} };
      }
    },
  };
};

test("--wait waits for the end of the probation", async (t) => {
  const { code, stdout, requests } = await runAgainst(
    t,
    ["reload", "--wait"],
    on("probation", "probation", "committed"),
  );
  t.is(code, 0);
  t.true(stdout.endsWith("Generation 12 runs (84ms).\n"));
  t.is(requests.filter((request) => request === "GET /v1/generations/12").length, 3);
});

test("--wait ends with 78 when the generation was rolled back", async (t) => {
  const { code, stderr } = await runAgainst(
    t,
    ["reload", "--wait"],
    on("probation", "rolled_back"),
  );
  t.is(code, 78);
  t.is(stderr, "reeve: rolled back generation 12: `hooks` was not healthy.\n");
});

test("--wait does not wait for a daemon that has gone away", async (t) => {
  const daemon = on("probation", "probation", "probation", "probation", "probation");
  const { code, stdout, stderr } = await runAgainst(t, ["reload", "--wait"], daemon);
  t.deepEqual({ code, stdout }, { code: 69, stdout: "" });
  t.is(
    stderr.split("\n")[0],
    "reeve: generation 12 runs on probation, and then the daemon ended the connection",
  );
});

test("a roll-back asks for that generation", async (t) => {
  const { code, stdout } = await runAgainst(t, ["rollback", "11"], {
    "POST /v1/rollback": ({ body }) => {
      t.deepEqual(body, { generation: 11 });
      return { ...result, generation: { ...generationDetail, trigger: "rollback" } };
    },
  });
  t.is(code, 0);
  t.regex(stdout, /Generation 12 runs \(84ms\)\.\n$/);
});

for (const wrong of ["0", "x", "-1", "1.5"]) {
  test(`\`rollback ${wrong}\` is refused before anybody is asked`, async (t) => {
    const { code, requests } = await runAgainst(t, ["rollback", "--", wrong], {});
    t.deepEqual({ code, requests }, { code: 64, requests: [] });
  });
}
