/** `ask = true`: connections to domains that no list has wait for an answer. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type ExecutionContext } from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import type { QuestionSummary } from "../proxy/question-board.js";
import { runIn, startFirewall } from "../testing/fixture.js";

// Starting sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

/** All requests go to a server of this test, as to a parent proxy. */
async function start(t: ExecutionContext) {
  const server = createServer((_, response) => response.end()).listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const upstream = `upstream_proxy = "http://127.0.0.1:${port}"`;
  return startFirewall(
    t,
    `sandbox "a" {\n  ask = true\n  block = ["blocked.test"]\n  ${upstream}\n}`,
  );
}

const status = "-s -o /dev/null -w '%{http_code} '";

type Plugin = Awaited<ReturnType<typeof startFirewall>>;

async function questionsOf(plugin: Plugin): Promise<readonly QuestionSummary[]> {
  const { body } = await plugin.control({ method: "GET", url: "/v1/firewall/questions" });
  return (JSON.parse(body) as { questions: QuestionSummary[] }).questions;
}

const firstQuestion = (plugin: Plugin): Promise<QuestionSummary> =>
  eventually("a question", async () => (await questionsOf(plugin))[0], { every: 20 });

const answer = (plugin: Plugin, id: string, text: string) =>
  plugin.control({ url: `/v1/firewall/questions/${id}`, payload: { answer: text } });

async function rulesOf(plugin: Plugin): Promise<string[]> {
  const { body } = await plugin.control({ url: "/v1/firewall/sandboxes/a/log" });
  return body
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { rule: string }).rule);
}

const rows: ReadonlyArray<
  readonly [title: string, text: string, line: string, printed: string, rules: readonly string[]]
> = [
  [
    "deny, which holds for the next request",
    "deny",
    `curl ${status} http://x.test/; curl ${status} http://x.test/`,
    "403 403 ",
    ["deny-asked", "deny-asked"],
  ],
  ["once", "once", `curl ${status} http://x.test/`, "200 ", ["allow-asked-once"]],
  [
    "this run",
    "run",
    `curl ${status} http://x.test/; curl ${status} http://x.test/`,
    "200 200 ",
    ["allow-asked-run", "allow-asked-run"],
  ],
  [
    "a program without proxy support",
    "once",
    `curl ${status} --noproxy '*' http://x.test/`,
    "200 ",
    ["allow-asked-once"],
  ],
  [
    "https",
    "deny",
    "curl -s -o /dev/null -w '%{http_connect} ' https://x.test/",
    "403 ",
    ["deny-asked"],
  ],
  [
    "several connections at a time",
    "deny",
    `for n in 1 2 3 4; do curl ${status} http://x.test/ & done; wait`,
    "403 403 403 403 ",
    ["deny-asked", "deny-asked", "deny-asked", "deny-asked"],
  ],
];
for (const [title, text, line, printed, rules] of rows) {
  test(`an answer to one question decides: ${title}`, async (t) => {
    const plugin = await start(t);
    const running = runIn(plugin, "a", { argv: [line] });
    const question = await firstQuestion(plugin);
    t.like(question, { sandbox: "a", domain: "x.test", program: "curl" });
    t.is((await answer(plugin, question.id, text)).status, 200);
    t.is((await running).stdout, printed);
    t.deepEqual(await rulesOf(plugin), rules);
    const count = (type: string) => plugin.events.filter((event) => event.type === type).length;
    t.deepEqual([count("sandbox.asked"), count("sandbox.answered")], [1, 1]);
    t.deepEqual(await questionsOf(plugin), []);
  });
}

const leaving: ReadonlyArray<readonly [what: string, line: string]> = [
  ["CONNECT", "curl -s -m 8 https://x.test/"],
  ["a plain request", "curl -s -m 8 http://x.test/"],
  ["a request with a body", "curl -s -m 8 -d a=b http://x.test/"],
  ["a WebSocket", "curl -s -m 8 -H 'connection: upgrade' -H 'upgrade: websocket' http://x.test/"],
  ["SOCKS", "curl -s -m 8 --socks5-hostname 127.0.0.1:3128 https://x.test/"],
  ["TLS without a proxy", "curl -s -m 8 --noproxy '*' https://x.test/"],
  ["HTTP without a proxy", "curl -s -m 8 --noproxy '*' http://x.test/"],
];
for (const [what, line] of leaving) {
  test(`a question whose clients have left ends at once: ${what}`, async (t) => {
    const plugin = await start(t);
    const running = runIn(plugin, "a", { argv: [`${line}; cat; curl ${status} http://y.test/`] });
    const results = () =>
      plugin.events.flatMap(({ type, data }) => (type === "sandbox.answered" ? [data] : []));
    await eventually("the end of the question", () => results().length > 0);
    t.like(results()[0], { domain: "x.test", answer: "abandoned" });
    const { id } = await firstQuestion(plugin);
    await answer(plugin, id, "deny");
    t.is((await running).stdout, "403 ");
    t.deepEqual(await rulesOf(plugin), ["deny-abandoned", "deny-asked"]);
  });
}

test("lookups: a name without a list leads to the proxy for a moment, local names do not exist", async (t) => {
  const plugin = await start(t);
  const names = ["x.test", "blocked.test", "wpad", "metadata.google.internal"];
  const look =
    "import socket, sys\nfor name in sys.argv[1:]:\n  try: print(socket.gethostbyname(name))\n  except OSError: print('none')";
  const { stdout } = await runIn(plugin, "a", { argv: ["/usr/bin/python3", "-c", look, ...names] });
  t.is(stdout, "198.51.100.1\nnone\nnone\nnone\n");
  t.false(plugin.events.some(({ type }) => type === "sandbox.asked"));
});

test("no question is asked about a blocked domain, an address or another port", async (t) => {
  const plugin = await start(t);
  const urls = ["http://blocked.test/", "http://93.184.216.34/", "http://x.test:8080/"];
  const line = urls.map((url) => `curl ${status} ${url}`).join("; ");
  t.is((await runIn(plugin, "a", { argv: [line] })).stdout, "403 403 403 ");
  t.false(plugin.events.some(({ type }) => type === "sandbox.asked"));
});

test("a wrong answer and one to no question are refused, and the question stays", async (t) => {
  const plugin = await start(t);
  const running = runIn(plugin, "a", { argv: [`curl ${status} http://x.test/`] });
  const { id } = await firstQuestion(plugin);
  const wrong = await answer(plugin, id, "maybe");
  t.is(wrong.status, 422);
  t.regex(wrong.body, /An answer is one of once, run, deny/);
  t.is((await answer(plugin, "none", "deny")).status, 404);
  t.is((await questionsOf(plugin)).length, 1);
  await answer(plugin, id, "deny");
  t.is((await running).stdout, "403 ");
});
