/** Settings reach real language servers, through the real program, from the real daemon, while both run. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import test, { type ExecutionContext } from "ava";
import { folder } from "../../cli/testing/reeve.js";
import { type Running, running } from "../../cli/testing/running.js";
import { frameOf, RpcFrameReader } from "../../plugins/settings/proxy/frames.js";
import type { SentMessage } from "../../plugins/settings/testing/talk.js";

const BIN = fileURLToPath(new URL("../../cli/reeve.js", import.meta.url));
const require = createRequire(import.meta.url);

interface Editor {
  request(method: string, params: unknown): Promise<SentMessage>;
  notify(method: string, params: unknown): void;
  /** The diagnostics of a document, once they fit. */
  diagnostics(
    uri: string,
    fit: (found: readonly SentMessage[]) => boolean,
  ): Promise<readonly SentMessage[]>;
}

/** An editor that starts the server behind `reeve settings proxy`. */
function editor(
  t: ExecutionContext,
  daemon: Running,
  name: string,
  server: readonly string[],
  answers: (section: string) => unknown = () => null,
): Editor {
  const words = ["settings", "proxy", "--control", daemon.socket, "--name", name, "--"];
  const child = spawn(process.execPath, [BIN, ...words, process.execPath, ...server], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  t.teardown(async () => {
    const closed = once(child, "close");
    child.stdin.end();
    const timer = setTimeout(() => child.kill("SIGKILL"), 15_000);
    await closed;
    clearTimeout(timer);
  });
  const send = (message: object) => {
    child.stdin.write(frameOf({ jsonrpc: "2.0", ...message }));
  };
  const results = new Map<number, (message: SentMessage) => void>();
  const published = new Map<string, readonly SentMessage[]>();
  let wake = Promise.withResolvers<void>();
  const reader = new RpcFrameReader();
  child.stdout.on("data", (chunk: Buffer) => {
    for (const { body } of reader.push(chunk)) {
      const message: SentMessage = JSON.parse(body.toString());
      const { id, method, params } = message;
      if (method === undefined) results.get(id)?.(message);
      else if (method === "workspace/configuration") {
        send({ id, result: params.items.map(({ section }: SentMessage) => answers(section)) });
      } else if (id !== undefined) send({ id, result: null });
      if (method === "textDocument/publishDiagnostics") {
        published.set(params.uri, params.diagnostics);
        wake.resolve();
        wake = Promise.withResolvers();
      }
    }
  });
  let ids = 0;
  return {
    notify: (method, params) => send({ method, params }),
    request(method, params) {
      ids += 1;
      const { promise, resolve } = Promise.withResolvers<SentMessage>();
      results.set(ids, resolve);
      send({ id: ids, method, params });
      return promise;
    },
    async diagnostics(uri, fit) {
      for (;;) {
        const found = published.get(uri);
        if (found && fit(found)) return found;
        await wake.promise;
      }
    },
  };
}

const bin = (name: string, path: string): string =>
  join(require.resolve(`${name}/package.json`), "..", path);

test("the JSON server of VS Code, which gets settings pushed", async (t) => {
  const cwd = folder(t, {
    "main.reeve": `settings "json" {
  schema = "./json.schema.json"
  watch = ["./json.json5"]
  debounce = 5ms
}
`,
    "json.schema.json": '{"properties": {"schemas": {"type": "array", "default": []}}}',
    "json.json5": "{}",
  });
  const daemon = await running(t, cwd);
  const server = bin("vscode-json-languageserver", "bin/vscode-json-languageserver");
  const at = editor(t, daemon, "json", [server, "--stdio"]);
  await at.request("initialize", { processId: null, rootUri: null, capabilities: {} });
  at.notify("initialized", {});
  const uri = "file:///a.json";
  const textDocument = { uri, languageId: "json", version: 1, text: '{"level": "high"}' };
  at.notify("textDocument/didOpen", { textDocument });
  await at.diagnostics(uri, (found) => found.length === 0);
  const wants = (type: string) =>
    `{ schemas: [{ fileMatch: ['*.json'], uri: 'x://y', schema: { properties: { level: { type: '${type}' } } } }] }`;
  writeFileSync(join(cwd, "json.json5"), wants("number"));
  const [wrong] = await at.diagnostics(uri, (found) => found.length > 0);
  t.regex(wrong.message, /Incorrect type/);
  writeFileSync(join(cwd, "json.json5"), wants("string"));
  t.deepEqual(await at.diagnostics(uri, (found) => found.length === 0), []);
});

test("the YAML server, which asks", async (t) => {
  const cwd = folder(t, {
    "main.reeve": `settings "yaml" {
  schema = "./yaml.schema.json"
  watch = ["./yaml.jsonc"]
  debounce = 5ms
}
`,
    "yaml.schema.json":
      '{"properties": {"validate": {"type": "boolean", "default": true}, "schemas": {"type": "object"}}}',
    "yaml.jsonc": "{}",
    "level.schema.json": '{"properties": {"level": {"type": "number"}}}',
  });
  const daemon = await running(t, cwd);
  t.timeout(120_000);
  const server = bin("yaml-language-server", "bin/yaml-language-server");
  const at = editor(t, daemon, "yaml", [server, "--stdio"]);
  await at.request("initialize", {
    processId: null,
    rootUri: pathToFileURL(cwd).href,
    capabilities: { workspace: { configuration: true } },
  });
  at.notify("initialized", {});
  const uri = pathToFileURL(join(cwd, "a.yaml")).href;
  const textDocument = { uri, languageId: "yaml", version: 1, text: "level: high\n" };
  at.notify("textDocument/didOpen", { textDocument });
  await at.diagnostics(uri, (found) => found.length === 0);
  const schema = pathToFileURL(join(cwd, "level.schema.json")).href;
  writeFileSync(join(cwd, "yaml.jsonc"), `{"schemas": {"${schema}": "*.yaml"}} // a number`);
  const [wrong] = await at.diagnostics(uri, (found) => found.length > 0);
  t.regex(wrong.message, /Expected "number"/);
  writeFileSync(join(cwd, "yaml.jsonc"), '{"validate": false}');
  t.deepEqual(await at.diagnostics(uri, (found) => found.length === 0), []);
});

for (const configuration of [true, false]) {
  test(`pyright, which ${configuration ? "requests settings" : "gets settings pushed"}`, async (t) => {
    const cwd = folder(t, {
      "main.reeve": `settings "pyright" {
  schema = "./pyright.schema.json"
  section = "python"
  watch = ["./pyright.jsonc"]
  debounce = 5ms
}
`,
      "pyright.schema.json": '{"properties": {"analysis": {"type": "object"}}}',
      "pyright.jsonc": '{"analysis": {"typeCheckingMode": "basic"}}',
      "work/a.py": "x: int = 'text'\n",
    });
    const daemon = await running(t, cwd);
    t.timeout(120_000);
    const at = editor(t, daemon, "pyright", [bin("pyright", "langserver.index.js"), "--stdio"]);
    const rootUri = pathToFileURL(join(cwd, "work")).href;
    await at.request("initialize", {
      processId: null,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: "work" }],
      capabilities: { workspace: { configuration, workspaceFolders: true } },
    });
    at.notify("initialized", {});
    const uri = `${rootUri}/a.py`;
    const textDocument = { uri, languageId: "python", version: 1, text: "x: int = 'text'\n" };
    at.notify("textDocument/didOpen", { textDocument });
    const [wrong] = await at.diagnostics(uri, (found) => found.length > 0);
    t.regex(wrong.message, /not assignable/);
    writeFileSync(
      join(cwd, "pyright.jsonc"),
      '{"analysis": {"typeCheckingMode": "off"} /* quiet */}',
    );
    t.deepEqual(await at.diagnostics(uri, (found) => found.length === 0), []);
  });
}

test("pyright, with the settings of two sections as an extension describes them", async (t) => {
  const properties = {
    "python.analysis.typeCheckingMode": { enum: ["off", "basic", "strict"], default: "basic" },
    "pyright.disableLanguageServices": { type: "boolean", default: false },
  };
  const cwd = folder(t, {
    "main.reeve":
      'settings "pyright" {\n  schema = "./package.json"\n  watch = ["./pyright.jsonc"]\n  debounce = 5ms\n}\n',
    "package.json": JSON.stringify({ contributes: { configuration: { properties } } }),
    "pyright.jsonc": "{}",
    "work/a.py": "x: int = 'text'\n",
  });
  t.timeout(120_000);
  const daemon = await running(t, cwd);
  const at = editor(t, daemon, "pyright", [bin("pyright", "langserver.index.js"), "--stdio"]);
  const rootUri = pathToFileURL(join(cwd, "work")).href;
  const uri = `${rootUri}/a.py`;
  await at.request("initialize", {
    processId: null,
    rootUri,
    workspaceFolders: [{ uri: rootUri, name: "work" }],
    capabilities: { workspace: { configuration: true, workspaceFolders: true } },
  });
  at.notify("initialized", {});
  const textDocument = { uri, languageId: "python", version: 1, text: "x: int = 'text'\n" };
  at.notify("textDocument/didOpen", { textDocument });
  const [wrong] = await at.diagnostics(uri, (found) => found.length > 0);
  t.regex(wrong.message, /not assignable/);
  writeFileSync(join(cwd, "pyright.jsonc"), '{"python.analysis.typeCheckingMode": "off"}');
  t.deepEqual(await at.diagnostics(uri, (found) => found.length === 0), []);
});
