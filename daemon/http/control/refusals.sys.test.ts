import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import test from "ava";
import { openControl } from "../testing/open-control.js";
import { scene } from "../testing/subjects.js";

interface Refused {
  readonly method?: "POST";
  readonly body?: unknown;
  readonly status: number;
  readonly code: string;
  readonly detail: RegExp;
}
const refusals: Readonly<Record<string, Refused>> = {
  "/v1/nothing?a=1": {
    status: 404,
    code: "not_found",
    detail: /^There is no `\/v1\/nothing` in the control API\.$/,
  },
  "/v1/reload": {
    status: 405,
    code: "method_not_allowed",
    detail: /^`\/v1\/reload` takes POST only\.$/,
  },
  "/v1/runs?limit=0": { status: 400, code: "invalid_request", detail: /limit.*>= 1/ },
  "/v1/runs?state=odd": { status: 400, code: "invalid_request", detail: /state/ },
  "/v1/generations/x": { status: 400, code: "invalid_request", detail: /number.*integer/ },
  "/v1/rollback": { method: "POST", status: 400, code: "invalid_request", detail: /[Bb]ody/ },
  "/v1/rollback/": {
    method: "POST",
    body: { generation: "x" },
    status: 400,
    code: "invalid_request",
    detail: /generation.*integer/,
  },
  "/v1/backup": {
    method: "POST",
    body: { to: "relative" },
    status: 400,
    code: "invalid_request",
    detail: /to.*pattern/,
  },
  "/v1/backup/": {
    method: "POST",
    body: { to: "/taken" },
    status: 409,
    code: "backup_failed",
    detail: /^Cannot write the backup \/taken\.$/,
  },
  "/v1/reload/": {
    method: "POST",
    body: "x".repeat(70_000),
    status: 413,
    code: "payload_too_large",
    detail: /too large/,
  },
};

for (const [url, { method, body, status, code, detail }] of Object.entries(refusals)) {
  test(`${method ?? "GET"} ${url} is refused with ${status}`, async (t) => {
    const { get, post } = await openControl(t, scene());
    const answer = await (method === "POST" ? post(url, body) : get(url));
    t.is(answer.status, status);
    t.regex(answer.headers["content-type"] ?? "", /^application\/problem\+json/);
    t.like(JSON.parse(answer.body), { status, code, type: `urn:reeve:${code}` });
    t.regex(JSON.parse(answer.body).detail, detail);
  });
}

test("a daemon that stops does not say that the routes of its plugins are not there", async (t) => {
  const stage = scene();
  stage.draining = true;
  const { get } = await openControl(t, stage);
  const { status, body } = await get("/v1/hooks");
  t.is(status, 503);
  t.like(JSON.parse(body), { code: "stopping", detail: "The daemon is stopping." });
});

test("what breaks inside is logged, and the client learns nothing of it", async (t) => {
  const stage = scene();
  Object.defineProperty(stage, "plugins", {
    get: () => {
      throw new Error("a bug with a /secret/path");
    },
  });
  const { get } = await openControl(t, stage);
  const { status, body } = await get("/v1/plugins");
  t.is(status, 500);
  t.false(body.includes("secret"));
  t.like(stage.log.lines[0], { level: "error", fields: { reason: "a bug with a /secret/path" } });
});

test("the socket and its directory belong to the user alone", async (t) => {
  const { path } = await openControl(t, scene());
  t.is((await stat(path)).mode & 0o777, 0o600);
  t.is((await stat(dirname(path))).mode & 0o777, 0o700);
});
