/** What the interface refuses, with its status and a reason: one table. */
import test from "ava";
import { updatesFixture } from "../testing/fixture.js";

const PACKAGE = '{ "name": "site", "private": true, "dependencies": {} }\n';

interface Refused {
  readonly title: string;
  readonly method?: string;
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly detail: RegExp;
  readonly source?: object;
}

const config = (more: object) => ({
  "repo-id": 1,
  "account-id": "1",
  "account-type": "org",
  directory: "/",
  "update-schedule": "daily",
  "package-manager": "npm_and_yarn",
  ...more,
});
const create = { method: "POST", path: "/update_configs" };
const notify = { method: "POST", path: "/release_notifications/private" };
const repos = "/repos?account-id=1&account-type=org";

const refused: readonly Refused[] = [
  {
    title: "no token",
    path: "/accounts",
    headers: { authorization: "" },
    status: 401,
    detail: /Authorization: Personal/,
  },
  {
    title: "another scheme",
    path: "/accounts",
    headers: { authorization: "Digest x" },
    status: 401,
    detail: /Personal/,
  },
  {
    title: "a wrong token",
    path: "/accounts",
    headers: { authorization: "Personal x" },
    status: 401,
    detail: /not accepted/,
  },
  {
    title: "no state",
    path: repos,
    status: 400,
    detail: /installation-state is required/,
    source: { parameter: "installation-state" },
  },
  {
    title: "another state",
    path: `${repos}&installation-state=on`,
    status: 400,
    detail: /active or inactive/,
  },
  {
    title: "no account",
    path: "/repos?installation-state=active",
    status: 400,
    detail: /account-id is required/,
  },
  {
    title: "no type of account",
    path: "/repos?installation-state=active&account-id=1",
    status: 400,
    detail: /account-type/,
  },
  {
    title: "another user's account",
    path: "/repos?installation-state=active&account-id=9&account-type=org",
    status: 403,
    detail: /does not belong/,
  },
  {
    title: "page zero",
    path: `${repos}&installation-state=inactive&page=0`,
    status: 400,
    detail: /page must be/,
  },
  {
    title: "a page of letters",
    path: `${repos}&installation-state=inactive&page=two`,
    status: 400,
    detail: /page must be/,
  },
  { title: "broken JSON", ...create, body: '{"repo-id": 1,}', status: 400, detail: /byte 14/ },
  { title: "a list", ...create, body: [], status: 400, detail: /JSON object/ },
  {
    title: "nothing of a config",
    ...create,
    body: {},
    status: 400,
    detail: /update-schedule is missing/,
  },
  {
    title: "a schedule of its own",
    ...create,
    body: config({ "update-schedule": "hourly" }),
    status: 400,
    detail: /live, daily, weekly, monthly/,
    source: { pointer: "/update-schedule" },
  },
  {
    title: "an unknown manager",
    ...create,
    body: config({ "package-manager": "apt" }),
    status: 400,
    detail: /package managers/,
  },
  {
    title: "a rule that is none",
    ...create,
    body: config({ "automerge-rule-runtime-deps": "always" }),
    status: 400,
    detail: /one of never, /,
  },
  {
    title: "yes for true",
    ...create,
    body: config({ "lockfile-only": "yes" }),
    status: 400,
    detail: /true or false/,
  },
  {
    title: "a way out of the repository",
    ...create,
    body: config({ directory: "/../x" }),
    status: 400,
    detail: /inside the repository/,
  },
  {
    title: "an unknown repository",
    ...create,
    body: config({ "repo-id": 99 }),
    status: 404,
    detail: /"Repo not found/,
  },
  {
    title: "another owner",
    ...create,
    body: config({ "account-type": "user" }),
    status: 404,
    detail: /"Repo not found/,
  },
  {
    title: "no manifest there",
    ...create,
    body: config({ directory: "/docs" }),
    status: 400,
    detail: /Repo must contain a package.json/,
  },
  {
    title: "a branch that is not there",
    ...create,
    body: config({ "target-branch": "next" }),
    status: 400,
    detail: /the branch next/,
  },
  {
    title: "no branch's name",
    ...create,
    body: config({ "target-branch": "a..b" }),
    status: 400,
    detail: /not the name of a branch/,
  },
  {
    title: "an unknown field",
    ...create,
    body: config({ colour: "red" }),
    status: 400,
    detail: /colour is not a field/,
  },
  {
    title: "an unknown config",
    path: "/update_configs/99",
    status: 404,
    detail: /Update config not found/,
  },
  { title: "a config by name", path: "/update_configs/main", status: 404, detail: /not found/ },
  { title: "nothing notified", ...notify, body: {}, status: 400, detail: /name is missing/ },
  {
    title: "nonsense notified",
    ...notify,
    body: { name: "x", "package-manager": "npm_and_yarn", nonsense: 1 },
    status: 400,
    detail: /nonsense is not a field/,
  },
  { title: "an unknown address", path: "/nothing", status: 404, detail: /nothing at this address/ },
  { title: "another method", method: "PUT", path: "/accounts", status: 405, detail: /answers GET/ },
  {
    title: "a form",
    ...create,
    body: "a=1",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    status: 415,
    detail: /Send JSON/,
  },
  {
    title: "too much",
    ...create,
    body: config({ directory: "/".repeat(70_000) }),
    status: 413,
    detail: /longer/,
  },
];

test("an invalid request gets an error with a reason", async (t) => {
  const at = await updatesFixture(t);
  await at.repo("site", { "package.json": PACKAGE });
  for (const {
    title,
    method = "GET",
    path = "/",
    body,
    headers,
    status,
    detail,
    source,
  } of refused) {
    const answer = await at.send(method, path, body, headers);
    t.is(answer.status, status, `${title}: ${answer.text}`);
    const [error] = answer.json.errors;
    t.is(error.status, status, title);
    t.is(typeof error.title, "string", title);
    t.regex(answer.text, detail, title);
    if (source) t.deepEqual(error.source, source, title);
  }
});
