import test from "ava";
import type { RunRecord, RunSummary } from "../../daemon/http/control/api.js";
import { runAgainst } from "../testing/commands.js";
import { run, runSummary, snapshot } from "../testing/samples.js";

const long = { ...runSummary, subject: "hook.deploy-the-company-site-to-production" };

test("runs are a table, newest first", async (t) => {
  const running: RunSummary = {
    ...runSummary,
    ...{ id: "r-0002", subject: "hook.build", state: "running", reason: undefined },
    ...{ finishedAt: undefined, exitCode: undefined, output: { bytes: 0, omitted: 0 } },
  };
  const { code, stdout, stderr, requests } = await runAgainst(t, ["runs"], {
    "GET /v1/runs": () => ({ runs: [running, runSummary] }),
  });
  t.deepEqual(
    { code, stderr, requests },
    { code: 0, stderr: "", requests: ["GET /v1/runs?limit=20"] },
  );
  const [titles, first = "", second] = stdout
    .split("\n")
    .map((line) => line.replace(/ {2,}/g, "|"));
  t.is(titles, "ID|WHAT|STATE|WHEN|TOOK|EXIT|TRIGGER|OUTPUT|REASON");
  t.regex(first, /^r-0002\|hook\.build\|running\|.*…\|POST \/hooks\/deploy from 192\.0\.2\.7$/);
  t.regex(
    second ?? "",
    /^r-0001\|hook\.deploy\|failed\|.*\|3\.4s\|2\|POST .*\|23 B\|The command ended with exit code 2\.$/,
  );
});

test("where several daemons share a store, each run has its host, and it is said why those of others are missing", async (t) => {
  const unseen = "Runs of other hosts cannot be seen: The database cannot be reached.";
  const { stdout, stderr } = await runAgainst(t, ["runs"], {
    "GET /v1/runs": () => ({ runs: [{ ...runSummary, host: "web-1" }], unseen }),
  });
  const [titles, line = ""] = stdout.split("\n").map((each) => each.replace(/ {2,}/g, "|"));
  t.is(titles, "ID|HOST|WHAT|STATE|WHEN|TOOK|EXIT|TRIGGER|OUTPUT|REASON");
  t.regex(line, /^r-0001\|web-1\|hook\.deploy\|/);
  t.is(stderr, `${unseen}\n`);
});

test("on a terminal no line is wider than it, and there is a way to older runs", async (t) => {
  const answers = { "GET /v1/runs": () => ({ runs: [long], next: "r-0001" }) };
  const { stdout, stderr } = await runAgainst(t, ["runs"], answers, { columns: 60 });
  for (const line of stdout.split("\n")) t.true(line.length <= 60, line);
  t.is(stderr, "Older runs: --before r-0001\n");
});

const asks: ReadonlyArray<readonly [words: readonly string[], request: string]> = [
  [["--hook", "deploy"], "?subject=hook.deploy&limit=20"],
  [["--hook", "hook.deploy", "--state", "failed"], "?subject=hook.deploy&state=failed&limit=20"],
  [["--kind", "sandbox", "--limit", "3"], "?kind=sandbox&limit=3"],
  [["--before", "r-0001"], "?before=r-0001&limit=20"],
  [["--host", "web-2"], "?host=web-2&limit=20"],
];
for (const [words, request] of asks) {
  test(`\`runs ${words.join(" ")}\` asks for ${request}`, async (t) => {
    const answers = { "GET /v1/runs": () => ({ runs: [] }) };
    const { requests, stderr, stdout } = await runAgainst(t, ["runs", ...words], answers);
    t.deepEqual(requests, [`GET /v1/runs${request}`]);
    t.deepEqual({ stdout, stderr }, { stdout: "", stderr: "No runs.\n" });
  });
}

test("one run is shown with all that is known and its output", async (t) => {
  const { stdout, code } = await runAgainst(t, ["runs", "r-0001"], {
    "GET /v1/runs/:id": () => run,
  });
  t.is(code, 0);
  t.is(
    stdout.replaceAll(/(\w+ (ago|just now)|in \w+) \([^)]*\)/g, "WHEN"),
    `hook.deploy  failed  r-0001
  reason      The command ended with exit code 2.
  trigger     POST /hooks/deploy from 192.0.2.7
  kind        hook
  generation  12
  queued      for 1s
  started     WHEN
  took        3.4s
  exit        2
  argv        ["./deploy.sh"]
--- output (23 B)
pulling
no such branch
`,
  );
});

test("output that was cut says so, and cannot drive the terminal", async (t) => {
  const cut: RunRecord = {
    ...run,
    output: { text: "a\u001b[2J\u0007b", bytes: 5000, omitted: 4096 },
  };
  const { stdout } = await runAgainst(t, ["runs", "x"], { "GET /v1/runs/:id": () => cut });
  t.true(stdout.endsWith("--- output (4.9 KiB, 4 KiB of it not kept)\na�b\n"));
});

test("a run that is not there ends with 1 and the daemon's sentence", async (t) => {
  const { code, stdout, stderr } = await runAgainst(t, ["runs", "nope"], {});
  t.deepEqual({ code, stdout }, { code: 1, stdout: "" });
  t.is(stderr, "reeve: There is no GET /v1/runs/nope\n");
});

test("--limit has bounds", async (t) => {
  const { code, stderr } = await runAgainst(t, ["runs", "--limit", "0"], {});
  t.deepEqual(
    { code, stderr },
    { code: 64, stderr: "reeve: --limit is a number from 1 to 1000\n" },
  );
});

test("--json is what the control API says", async (t) => {
  const list = await runAgainst(t, ["runs", "--json"], {
    "GET /v1/runs": () => ({ runs: [runSummary], next: "r-0001" }),
  });
  t.deepEqual(JSON.parse(list.stdout), {
    runs: [JSON.parse(JSON.stringify(runSummary))],
    next: "r-0001",
  });
  const one = await runAgainst(t, ["runs", "x", "--json"], { "GET /v1/runs/:id": () => run });
  t.deepEqual(JSON.parse(one.stdout), JSON.parse(JSON.stringify(run)));
});

test("following prints what is there, then every change of state, once", async (t) => {
  const states: RunRecord["state"][] = ["running", "running", "succeeded"];
  const { stdout } = await runAgainst(
    t,
    ["runs", "--follow", "--hook", "deploy", "--json"],
    {
      "GET /v1/runs": () => ({ runs: [runSummary] }),
      "GET /v1/runs/:id": ({ url }) => ({
        ...run,
        id: "r-0009",
        subject: url.pathname.endsWith("other") ? "hook.other" : "hook.deploy",
        state: states.shift() ?? "failed",
      }),
      "GET /v1/events": async function* () {
        yield snapshot;
        for (const id of ["r-0009", "r-0009", "r-0009", "other"]) {
          yield { line: "event", sequence: 8, at: 1, type: "run.finished", data: { id } };
        }
        yield { line: "event", sequence: 9, at: 1, type: "config.reloaded", data: { id: "r-1" } };
      },
    },
    { until: (text) => text.includes("succeeded") },
  );
  t.deepEqual(
    stdout
      .trim()
      .split("\n")
      .map((line) => {
        const { id, state } = JSON.parse(line) as RunSummary;
        return `${id} ${state}`;
      }),
    ["r-0001 failed", "r-0009 running", "r-0009 succeeded"],
  );
});

test("following one run prints its output as it comes, each byte once, and how it ended", async (t) => {
  const outputs = ["one\n", "one\ntwo\n", "one\ntwo\nthree"];
  const { stdout } = await runAgainst(t, ["runs", "r-0001", "--follow"], {
    "GET /v1/runs/:id": () => {
      const [text = "", ...rest] = outputs.length > 1 ? [outputs.shift()] : outputs;
      const over = outputs.length === 1 && rest.length === 0 && text.endsWith("three");
      return {
        ...run,
        state: over ? "failed" : "running",
        finishedAt: over ? run.finishedAt : undefined,
        reason: over ? run.reason : undefined,
        output: { text, bytes: text.length, omitted: 0 },
      };
    },
  });
  t.true(
    stdout.endsWith("one\ntwo\nthree\nfailed  3.4s  The command ended with exit code 2.\n"),
    stdout,
  );
  t.is(stdout.split("one\n").length, 2);
});

test("--format html is a page on standard output, of what the other options choose", async (t) => {
  const words = ["runs", "--limit", "5", "--format", "html"];
  const { code, stdout, stderr, requests } = await runAgainst(t, words, {
    "GET /v1/runs": () => ({ runs: [{ ...runSummary, trigger: "<b>" }] }),
  });
  t.deepEqual(
    { code, stderr, requests },
    { code: 0, stderr: "", requests: ["GET /v1/runs?limit=5"] },
  );
  t.regex(stdout, /^<!doctype html>[\s\S]*hook\.deploy[\s\S]*&#60;b&#62;[\s\S]*<\/html>\n$/);
});

for (const more of [["r-0001"], ["--follow"], ["--json"]]) {
  test(`--format html does not go with ${more.join(" ")}`, async (t) => {
    const { code, stderr } = await runAgainst(t, ["runs", "--format", "html", ...more], {});
    t.is(code, 64);
    t.regex(stderr, /--format html is for a list of runs/);
  });
}
