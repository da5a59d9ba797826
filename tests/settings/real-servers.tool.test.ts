/** A schema of one's own, for real language servers, through the real program, from the real daemon, while both run. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ava from "ava";
import { folder } from "../../cli/testing/reeve.js";
import { running } from "../../cli/testing/running.js";
import { needs } from "../support/needs.js";
import { programPath, programs } from "../support/programs.js";
import { editor } from "./testing/editor.js";

const test = needs(ava, programs);
const PYRIGHT = "pyright/langserver.index.js";

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
    const at = editor(t, daemon, "pyright", [await programPath(PYRIGHT), "--stdio"]);
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
  const at = editor(t, daemon, "pyright", [await programPath(PYRIGHT), "--stdio"]);
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
