/** Paths with parameters, over real sockets: what a client would tidy up before it asks is sent as it stands. */
import { request } from "node:http";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";

const HOOKS =
  SERVER +
  hook(
    "deploy",
    `path = "/deploy/:env/:version"\nrun = ["echo", path.env, path.version]\n${WAIT}`,
  ) +
  hook(
    "prod",
    `path = "/deploy/prod/:version"\nrun = ["echo", "prod only", path.version]\n${WAIT}`,
  ) +
  hook("fixed", `path = "one/two"\nrun = ["echo", "fixed"]\n${WAIT}`);

const rows: ReadonlyArray<readonly [path: string, status: number, answer?: string]> = [
  ["deploy/staging/7", 200, "staging 7\n"],
  ["deploy/prod/7?version=8", 200, "prod only 7\n"],
  ["deploy/a%20b/%2525", 200, "a b %25\n"],
  ["one/two", 200, "fixed\n"],
  ["fixed", 404],
  ["deploy/staging", 404],
  ["deploy/staging/", 404],
  ["deploy/staging/7/", 404],
  ["deploy/../7", 404],
  ["deploy/staging/..", 404],
  ["deploy/..%2f..%2fetc/passwd", 404],
  ["deploy/%2e%2e/7", 404],
  ["deploy/staging/a%2fb", 404],
  ["deploy/staging/%00", 404],
  ["deploy/staging/%0d%0aX:y", 404],
];

test("a parameter is one segment, and nothing leads out of it", async (t) => {
  const at = await startFixture(t, HOOKS);
  for (const [path, status, answer] of rows) {
    const response = await send(`${at.url}/`, path);
    t.is(response.status, status, path);
    if (answer !== undefined) t.is(response.text, answer, path);
  }
});

test("the list of hooks shows the path", async (t) => {
  const { plugin } = await startFixture(t, HOOKS);
  const { body } = await plugin.control({ url: "/v1/hooks" });
  const { hooks } = JSON.parse(body) as { hooks: ReadonlyArray<{ name: string; url: string }> };
  t.deepEqual(hooks.map(({ name, url }) => [name, url.replace(/^.*\/hooks\//, "")]).toSorted(), [
    ["deploy", "deploy/:env/:version"],
    ["fixed", "one/two"],
    ["prod", "deploy/prod/:version"],
  ]);
});

/** As it stands: `fetch` would resolve the dots. */
function send(base: string, path: string): Promise<{ status: number | undefined; text: string }> {
  const { hostname, port, pathname } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, path: `${pathname}${path}`, method: "POST", agent: false },
      async (response) => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        resolve({ status: response.statusCode, text });
      },
    );
    sent.once("error", reject);
    sent.end();
  });
}
