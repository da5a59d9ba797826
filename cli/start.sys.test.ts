/** What a start loads: modules that the first request does not need load later. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { folder } from "./testing/reeve.js";
import { running } from "./testing/running.js";

const quickstart = new URL("../../examples/quickstart/", import.meta.url);
const textOf = (name: string) => readFileSync(new URL(name, quickstart), "utf8");

/** Says at the end what was imported or required, and which of Node's own modules are there. */
const spy = `
  import { writeFileSync } from "node:fs";
  import { registerHooks } from "node:module";
  const urls = new Set();
  registerHooks({ load: (url, context, next) => (urls.add(url), next(url, context)) });
  process.on("exit", () => {
    writeFileSync("loaded.json", JSON.stringify([...urls, ...process.moduleLoadList]));
  });`;

/** Libraries, rooms and parts of Node, and what they are for. */
const later: ReadonlyArray<readonly [what: RegExp, neededBy: string]> = [
  [/NativeModule internal\/deps\/undici\/undici$/, "`fetch`, and imports of `node:http`"],
  [/\/node_modules\/kysely\//, "a plugin with tables"],
  [/\/node_modules\/(ajv|@fastify\/ajv-compiler)\//, "the first request with a schema"],
  [/\/node_modules\/@fastify\/fast-json-stringify-compiler\//, "a plugin with schemas of answers"],
  [/\/node_modules\/@fastify\/swagger\//, "a request for the API's description"],
  [/\/node_modules\/(yaml|json5|jsonc-parser)\//, "files in other formats"],
  [/\/node_modules\/pg(-[a-z]+)?\/|\/daemon\/services\/shared\//, "a store that daemons share"],
  [/\/node_modules\/koffi\//, "the first command"],
  [/\/node_modules\/@opentelemetry\//, "nobody"],
  [/\/node_modules\/(react|ink)\//, "the dashboard"],
  [/\/node_modules\/@npmcli\/|\/node_modules\/tldts\//, "updates and the firewall"],
  [/\/daemon\/host\/isolation\//, "a plugin in a worker or a process"],
  [/\/plugins\/(firewall|settings|updates)\/(.*\/)?(instance|control)\.js$/, "its configuration"],
];

async function loadedBy(t: ExecutionContext, files: Readonly<Record<string, string>>) {
  const cwd = folder(t, files);
  const spied = `data:text/javascript,${encodeURIComponent(spy)}`;
  const daemon = await running(t, cwd, ["--log-format", "text"], ["--import", spied]);
  t.is(await daemon.end(), 0);
  return JSON.parse(readFileSync(join(cwd, "loaded.json"), "utf8")) as string[];
}

test("the start of the quickstart loads nothing that its first request does not need", async (t) => {
  const loaded = await loadedBy(t, {
    "main.reeve": textOf("main.reeve").replaceAll("127.0.0.1:9000", "127.0.0.1:0"),
    "demo-secret.txt": textOf("demo-secret.txt"),
  });
  t.true(loaded.some((url) => url.endsWith("/daemon/main.js")));
  t.true(loaded.some((url) => url.includes("/node_modules/fastify/")));
  for (const [what, neededBy] of later) {
    const found = loaded.filter((url) => what.test(url));
    t.deepEqual(found, [], `needed only by ${neededBy}`);
  }
});

test("updates load no package manager and no parser before the first request", async (t) => {
  const loaded = await loadedBy(t, {
    "main.reeve":
      'updates "all" {\n  listen = "127.0.0.1:0"\n  repositories = "./repositories"\n}\n',
  });
  t.true(loaded.some((url) => url.endsWith("/plugins/updates/instance.js")));
  const parsers =
    /\/managers\/[a-z]+\/manager\.js$|\/node_modules\/(yaml|smol-toml|@cdktf|fast-xml-parser|@npmcli)\//;
  t.deepEqual(
    loaded.filter((url) => parsers.test(url)),
    [],
  );
});

test("`node:http` still has the WebSocket of Node", async (t) => {
  const { lightenHttp } = await import("./program/light-http.js");
  const http = process.getBuiltinModule("node:http") as unknown as Record<string, unknown>;
  lightenHttp();
  t.false(Object.hasOwn(http, "WebSocket"));
  t.is(http.WebSocket, WebSocket);
  t.is(http.CloseEvent, CloseEvent);
  lightenHttp();
  t.is(http.MessageEvent, MessageEvent);
});
