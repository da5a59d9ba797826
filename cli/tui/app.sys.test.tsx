import test from "ava";
import { run, status } from "../testing/samples.js";
import { opened } from "./testing/opened.js";

test("a number opens a screen, Enter what is chosen, Esc leads back", async (t) => {
  const { press, until } = await opened(t);
  await until(/\[1 Overview\][\s\S]*✓ all else is well: 1 plugin/);
  await press("2", "t", "Enter");
  await until(/hook\.deploy +✗ failed[\s\S]*no such branch/);
  await press("Esc");
  await until(/▌ failed +hook\.deploy/);
  await press("7", "Enter");
  await until(/Generation 12[\s\S]*timeout: 1m -> 2m/);
});

test("what is written after / stays of the list, also in one go", async (t) => {
  const { press, until } = await opened(t);
  await press("7", "/", "11", "Enter");
  await until(/1 of 1 with "11"/);
  await press("Esc");
  await until(/Generations .*1 of 2/);
});

test("a plugin restarts only after a confirmation, and the result is shown", async (t) => {
  const { press, until, received } = await opened(t);
  await press("6", "R");
  await until(/Start hooks afresh\?.* y: yes/);
  await press("n");
  await until(/Nothing was done/);
  t.false(received("POST /v1/plugins/hooks/restart"));
  await press("R", "y");
  await until(/hooks is running/);
  t.true(received("POST /v1/plugins/hooks/restart"));
});

test("what the daemon refuses is shown with its reason and its help", async (t) => {
  const detail = "The plugin is not there.";
  const problem = {
    type: "urn:reeve:x",
    title: "No",
    status: 404,
    code: "not_found",
    detail,
    help: "Look at the list.",
  };
  const { press, until } = await opened(t, { "POST /v1/plugins/:id/restart": () => problem });
  await press("6", "R", "y");
  await until(/The plugin is not there.*Look at the list\./);
});

test("read-only has no keys that change anything", async (t) => {
  const { press, until, received } = await opened(t, {}, true);
  await press("6", "R", "y", "?");
  await until(/read-only[\s\S]*Keys/);
  t.false(received("POST /v1/plugins/hooks/restart"));
});

test("while it is held, nothing moves on; then everything does", async (t) => {
  let pid = 1;
  const { press, until } = await opened(t, { "GET /v1/status": () => ({ ...status, pid }) });
  await until(/pid 1\n/);
  await press(" ");
  await until(/PAUSED/);
  pid = 2;
  await press("8");
  await until(/PAUSED.*pid 1\n/);
  await press(" ");
  await until(/pid 2\n/);
});

test("q ends it", async (t) => {
  const { press, dashboard } = await opened(t);
  await press("q");
  t.true(dashboard.over.aborted);
});

const trigger = {
  hook: "deploy",
  request: {
    method: "POST",
    query: "",
    headers: ["x-hub-signature-256", "(secret)"],
    remoteIp: "192.0.2.7",
    body: { bytes: 26, text: '{"ref":"refs/heads/main"}\n' },
  },
  decision: [
    { what: "sender", holds: true, says: '`verify "github"` holds' },
    {
      what: "when",
      holds: true,
      says: "it is true",
      tree: {
        text: 'payload.ref == "refs/heads/main"',
        outcome: "true",
        parts: [{ text: "payload.ref", outcome: '"refs/heads/main"', parts: [] }],
      },
    },
  ],
  command: { env: { TOKEN: "(secret)" }, stdin: 0 },
  timings: { received: 1, read: 0.2, decided: 0.4 },
};

test("a run shows its evidence, and a confirmed replay starts another", async (t) => {
  const { press, until, received } = await opened(t, {
    "GET /v1/runs/:id": () => ({ ...run, request: trigger }),
    "POST /v1/hooks/replay": () => ({ outcome: "accepted", hook: "deploy", run: "r-0009" }),
  });
  await press("2");
  await press("t");
  await press("Enter");
  await until(/x-hub-signature-256: \(secret\)/);
  await press("G");
  await until(/payload\.ref == "refs\/heads\/main" {2}is true/);
  await press("r");
  await until(/Replay the request of run r-0001 of hook\.deploy\?/);
  t.false(received("POST /v1/hooks/replay"));
  await press("y");
  await until(/Started the run r-0009\./);
  t.true(received("POST /v1/hooks/replay"));
});
