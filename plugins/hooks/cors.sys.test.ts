/** `cors`: what browsers ask before a request (the Fetch standard), and what scripts may read. */
import { request } from "node:http";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";

const APP = "https://app.example.com";
const rules = (more = "") =>
  `cors {\norigins = ["${APP}", "http://localhost:5173"]\nheaders = ["Content-Type", "X-Own"]\nmax_age = 90s\n${more}\n}\n`;
const VERIFY = 'verify "bearer" { secret = secret("env:TOKEN") }\n';
const config =
  SERVER +
  hook("some", `${rules()}${VERIFY}methods = ["POST", "PUT"]\nrun = ["echo", "done"]\n${WAIT}`) +
  hook("all", `cors { origins = ["*"] }\nrun = ["true"]`) +
  hook("cookies", `${rules("credentials = true")}run = ["true"]`) +
  hook("inside", `${rules()}allow_from = ["192.0.2.1"]\nrun = ["true"]`) +
  hook("none", 'run = ["true"]') +
  hook("options", 'methods = ["OPTIONS"]\nrun = ["true"]') +
  hook(
    "headers",
    `${rules()}run = ["true"]\nresponse { headers = { Vary = "Accept", "X-Host" = "a" } }`,
  );

type Headers = Readonly<Record<string, string | undefined>>;

/** `fetch` sets `Origin` itself; so this writes the request. */
function send(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body = "",
): Promise<{ readonly status: number | undefined; readonly headers: Headers }> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, (response) => {
      response.resume().once("end", () => {
        resolve({ status: response.statusCode, headers: response.headers as Headers });
      });
    })
      .once("error", reject)
      .end(body);
  });
}

const asks = (origin: string, method = "POST", more: Readonly<Record<string, string>> = {}) => ({
  ...{ origin, "access-control-request-method": method },
  ...more,
});
const EXPOSED = "Reeve-Run, Location, Retry-After";
const permission = {
  "access-control-allow-origin": APP,
  "access-control-allow-methods": "POST",
  "access-control-allow-headers": "Content-Type, X-Own",
  "access-control-max-age": "90",
  "access-control-allow-credentials": undefined,
  "access-control-expose-headers": EXPOSED,
  vary: "Origin",
};
const refusal = {
  "access-control-allow-origin": undefined,
  "access-control-allow-methods": undefined,
  "access-control-allow-headers": undefined,
  vary: "Origin",
};
const nothing = { ...refusal, vary: undefined };

const preflights: ReadonlyArray<
  readonly [
    title: string,
    hook: string,
    headers: Readonly<Record<string, string>>,
    status: number,
    expected: Headers,
  ]
> = [
  [
    "an allowed origin, without the proof",
    "some",
    asks(APP),
    204,
    { ...permission, "access-control-allow-methods": "POST, PUT" },
  ],
  [
    "the other allowed origin",
    "some",
    asks("http://localhost:5173", "PUT", { "access-control-request-headers": "x-own" }),
    204,
    { "access-control-allow-origin": "http://localhost:5173", vary: "Origin" },
  ],
  [
    "a method that is not allowed: the browser reads it from the list",
    "some",
    asks(APP, "DELETE"),
    204,
    { "access-control-allow-methods": "POST, PUT" },
  ],
  [
    "a header that is not allowed: the browser reads it from the list",
    "some",
    asks(APP, "POST", { "access-control-request-headers": "authorization" }),
    204,
    { "access-control-allow-headers": "Content-Type, X-Own" },
  ],
  ["another origin", "some", asks("https://evil.example"), 403, refusal],
  ["an origin that ends alike", "some", asks("https://evil-app.example.com"), 403, refusal],
  ["an origin that begins alike", "some", asks(`${APP}.evil.example`), 403, refusal],
  ["another scheme", "some", asks("http://app.example.com"), 403, refusal],
  ["another port", "some", asks(`${APP}:8443`), 403, refusal],
  ["an opaque origin", "some", asks("null"), 403, refusal],
  ["two origins", "some", asks(`${APP}, ${APP}`), 403, refusal],
  [
    "any origin",
    "all",
    asks("https://any.example"),
    204,
    {
      ...permission,
      "access-control-allow-origin": "*",
      "access-control-allow-headers": "Content-Type",
      "access-control-max-age": "600",
    },
  ],
  [
    "an opaque origin where all may",
    "all",
    asks("null"),
    204,
    { "access-control-allow-origin": "*" },
  ],
  [
    "credentials",
    "cookies",
    asks(APP),
    204,
    { ...permission, "access-control-allow-credentials": "true" },
  ],
  [
    "an address that is not allowed",
    "inside",
    asks(APP),
    403,
    { "access-control-allow-methods": undefined, vary: "Origin" },
  ],
  ["a hook without `cors`", "none", asks(APP), 405, nothing],
  ["a path without a hook", "nowhere", asks(APP), 404, nothing],
  ["no origin", "some", { "access-control-request-method": "POST" }, 405, refusal],
  [
    "OPTIONS that is no preflight",
    "some",
    { origin: APP },
    405,
    { "access-control-allow-origin": APP, vary: "Origin" },
  ],
  ["a hook for OPTIONS without `cors`", "options", asks(APP), 202, nothing],
];

test("preflights, and what each of them gets", async (t) => {
  const at = await startFixture(t, config);
  for (const [title, name, headers, status, expected] of preflights) {
    const response = await send(`${at.url}/${name}`, "OPTIONS", headers);
    t.is(response.status, status, title);
    for (const [header, value] of Object.entries(expected)) {
      t.is(response.headers[header], value, `${title}: ${header}`);
    }
  }
  t.deepEqual(
    (await at.plugin.runs()).map(({ subject }) => subject),
    ["hook.options"],
    "a preflight runs nothing",
  );
});

test("scripts may read responses and refusals; pages of other origins may not", async (t) => {
  const at = await startFixture(t, config);
  const proof = { authorization: "Bearer hunter22" };
  const readable = {
    ...{ "access-control-allow-origin": APP, "access-control-expose-headers": EXPOSED },
    vary: "Origin",
  };
  for (const [title, headers, body, status, expected] of [
    ["a run", { origin: APP, ...proof }, "", 200, readable],
    [
      "another origin: the proof decides",
      { origin: "https://evil.example", ...proof },
      "",
      200,
      refusal,
    ],
    ["no origin: no browser", proof, "", 200, refusal],
    ["no proof", { origin: APP }, "", 401, readable],
    [
      "a type that is not supported",
      { origin: APP, ...proof, "content-type": "image/png" },
      "x",
      415,
      readable,
    ],
    ["a body that is too long", { origin: APP, ...proof }, "x".repeat(2 ** 21), 413, readable],
  ] as const) {
    const response = await send(`${at.url}/some`, "POST", headers, body);
    t.is(response.status, status, title);
    for (const [header, value] of Object.entries(expected)) {
      t.is(response.headers[header], value, `${title}: ${header}`);
    }
  }
});

test("the hook's own headers stay: `Vary` is extended, the others are readable", async (t) => {
  const at = await startFixture(t, config);
  const { headers } = await send(`${at.url}/headers`, "POST", { origin: APP });
  t.is(headers.vary, "Accept, Origin");
  t.is(headers["access-control-expose-headers"], `${EXPOSED}, Vary, X-Host`);
});

test("an operator sees the origin of a refused preflight", async (t) => {
  const at = await startFixture(t, config);
  await send(`${at.url}/some`, "OPTIONS", asks("https://evil.example"));
  t.like(await at.next("hook.rejected"), { reason: "origin_not_allowed", status: 403 });
});

test("an edit of `cors` applies to the next request", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]'));
  const { url } = at;
  t.is((await send(`${url}/x`, "OPTIONS", asks(APP))).status, 405);
  t.deepEqual(await at.edit(SERVER + hook("x", `${rules()}run = ["true"]`)), []);
  t.is((await send(`${url}/x`, "OPTIONS", asks(APP))).status, 204);
});
