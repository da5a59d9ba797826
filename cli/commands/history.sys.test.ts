import test from "ava";
import type { GenerationSummary } from "../../daemon/http/control/api.js";
import { runAgainst } from "../testing/commands.js";
import { generation, generationDetail } from "../testing/samples.js";

const refused: GenerationSummary = {
  ...generation,
  number: 13,
  state: "rejected",
  trigger: "request",
  reason: "The configuration has 1 error.",
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
    { code: "E112", severity: "error", message: "no such file", file: "other.reeve" },
  ],
};

test("attempts are a table, newest first", async (t) => {
  const { stdout, requests } = await runAgainst(t, ["history"], {
    "GET /v1/generations": () => ({ generations: [refused, generation] }),
  });
  t.deepEqual(requests, ["GET /v1/generations?limit=20"]);
  const [titles, first, second] = stdout.split("\n").map((line) =>
    line
      .trim()
      .replace(/ {2,}/g, "|")
      .replace(/\|(in \w+|\w+ ago|just now)\|/, "|WHEN|"),
  );
  t.is(titles, "N|STATE|WHEN|WHY|COMMIT|TOOK|CHANGES");
  t.is(first, "13|rejected|WHEN|reload|3b1f2c4+|84ms|The configuration has 1 error.");
  t.is(second, "12|committed|WHEN|edit|3b1f2c4+|84ms|2 added, 1 updated, 4 unchanged");
});

test("one attempt is shown with what it changed", async (t) => {
  const { stdout } = await runAgainst(t, ["history", "12"], {
    "GET /v1/generations/:id": () => generationDetail,
  });
  t.true(stdout.startsWith("generation 12  committed\n  when    "), stdout);
  t.regex(
    stdout,
    / {2}why {5}edit\n {2}took {4}84ms\n {2}commit {2}3b1f2c4\w+, files differ from it\n/,
  );
  t.regex(stdout, /timeout: 1m -> 2m/);
});

test("one that was refused is shown with what was found", async (t) => {
  const { stdout } = await runAgainst(t, ["history", "13"], {
    "GET /v1/generations/:id": () => refused,
  });
  t.regex(stdout, /^generation 13 {2}rejected\n {2}reason {2}The configuration has 1 error\.\n/);
  t.true(
    stdout.endsWith(
      "main.reeve:2:3: error[E201]: there is no attribute `timeuot`\nother.reeve: error[E112]: no such file\n",
    ),
  );
});

test("--json is what the control API says", async (t) => {
  const list = await runAgainst(t, ["history", "--json", "--limit", "1"], {
    "GET /v1/generations": () => ({ generations: [generation] }),
  });
  t.deepEqual(JSON.parse(list.stdout), { generations: [generation] });
  const one = await runAgainst(t, ["history", "12", "--json"], {
    "GET /v1/generations/:id": () => generationDetail,
  });
  t.deepEqual(JSON.parse(one.stdout), generationDetail);
});

test("an unknown generation ends with 1", async (t) => {
  t.is((await runAgainst(t, ["history", "99"], {})).code, 1);
});
