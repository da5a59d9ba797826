/**
 * Servers that Reeve knows by name, as they are in the npm registry: a save of a settings file alters what the running server says.
 * The real program, the real daemon, the data of plugins/settings/servers/data. Not shown here: the ESLint server, which answered
 * nothing in this set-up, and gopls, clangd, rust-analyzer and the Lua server, which are no packages of npm.
 */
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ava, { type ExecutionContext } from "ava";
import { folder } from "../../cli/testing/reeve.js";
import { type Running, running } from "../../cli/testing/running.js";
import type { SentMessage } from "../../plugins/settings/testing/talk.js";
import { eventually } from "../support/eventually.js";
import { needs } from "../support/needs.js";
import { programPath, programs } from "../support/programs.js";
import { type Editor, editor } from "./testing/editor.js";

const test = needs(ava, programs);

interface Case {
  readonly name: string;
  /** The server's program, below the packages, and its arguments. */
  readonly program: string;
  readonly args?: readonly string[];
  /** The document that is open. */
  readonly document: readonly [name: string, language: string, text: string];
  readonly files?: Readonly<Record<string, string>>;
  /** What the file of settings says first, and then. */
  readonly first?: string;
  readonly saved: string;
  /** What the server says with the one, and with the other. */
  readonly before: RegExp;
  readonly after: RegExp;
  /** What it is asked; left out: its diagnostics. */
  readonly ask?: { readonly method: string; readonly params: object };
  readonly options?: object;
}

const wrong = /not assignable/;
const none = /^$/;

const cases: readonly Case[] = [
  ...(["pyright", "basedpyright"] as const).map((name) => ({
    name,
    program: `${name}/langserver.index.js`,
    document: ["a.py", "python", "x: int = 'text'\n"] as const,
    before: wrong,
    saved: `{"${name === "pyright" ? "python" : name}.analysis.typeCheckingMode": "off"}`,
    after: none,
  })),
  {
    name: "typescript",
    program: "typescript-language-server/lib/cli.mjs",
    document: ["a.ts", "typescript", 'export const x: number = "text";\n'],
    before: wrong,
    saved: '{"diagnostics": {"ignoredCodes": [2322]}}',
    after: none,
  },
  {
    name: "json",
    program: "vscode-langservers-extracted/bin/vscode-json-language-server",
    document: ["a.json", "json", '{"level": 1,}'],
    before: /Trailing comma/,
    saved: '{"json.validate.enable": false}',
    after: none,
  },
  {
    name: "yaml",
    program: "yaml-language-server/bin/yaml-language-server",
    document: ["a.yaml", "yaml", "b: 1\na: 2\n"],
    before: none,
    saved: '{"yaml": {"keyOrdering": true}}',
    after: /[Ww]rong ordering/,
  },
  {
    name: "css",
    program: "vscode-langservers-extracted/bin/vscode-css-language-server",
    document: ["a.css", "css", "a {}\n"],
    before: /empty rulesets/,
    saved: '{"css.lint.emptyRules": "ignore"}',
    after: none,
  },
  {
    name: "html",
    program: "vscode-langservers-extracted/bin/vscode-html-language-server",
    document: ["a.html", "html", "<p></p>\n"],
    before: /paragraph/,
    saved: '{"html.hover.documentation": false}',
    after: /^(?!.*paragraph)/s,
    ask: { method: "textDocument/hover", params: { position: { line: 0, character: 1 } } },
  },
  {
    name: "bash",
    program: "bash-language-server/out/cli.js",
    args: ["start"],
    document: ["a.sh", "shellscript", "#!/bin/sh\necho $1\n"],
    files: {
      "lint.sh": `#!/bin/sh
cat >/dev/null
echo '{"comments":[{"file":"-","line":2,"endLine":2,"column":6,"endColumn":8,"level":"info","code":2086,"message":"quote it","fix":null}]}'
`,
    },
    first: '{"bashIde.shellcheckPath": ""}',
    before: none,
    saved: '{"bashIde.shellcheckPath": "%WORK%/lint.sh"}',
    after: /quote it/,
  },
  {
    name: "tailwind",
    program: "@tailwindcss/language-server/bin/tailwindcss-language-server",
    document: ["a.html", "html", '<p class="flex"></p>\n'],
    files: { "app.css": '@import "tailwindcss";\n' },
    before: /display: flex/,
    saved: '{"tailwindCSS.hovers": false}',
    after: none,
    ask: { method: "textDocument/hover", params: { position: { line: 0, character: 11 } } },
  },
];

/** Each case has a folder with its settings and documents; one daemon has the blocks of all. */
let folders: string;
let daemon: Running;
const ends: Array<() => unknown> = [];
ava.before(async (t) => {
  t.timeout(120_000);
  if (!programs.isPresent()) return;
  const endings = {
    timeout: () => undefined,
    teardown: (end: () => unknown) => ends.unshift(end),
  } as unknown as ExecutionContext;
  const files: Record<string, string> = {};
  let blocks = "";
  for (const { name, first = "{}", document, files: more } of cases) {
    blocks += `settings "${name}" {\n  watch = ["./${name}/settings.jsonc"]\n  debounce = 5ms\n}\n`;
    files[`${name}/settings.jsonc`] = first;
    for (const [at, its] of Object.entries({ ...more, [document[0]]: document[2] }))
      files[`${name}/work/${at}`] = its;
  }
  folders = folder(endings, { ...files, "main.reeve": blocks });
  daemon = await running(endings, folders);
});
ava.after.always(async () => {
  for (const end of ends) await end();
});

for (const each of cases) {
  const { name, saved, before, after } = each;
  // One after the other: each starts a proxy and a server.
  test.serial(`${name}: ${saved}`, async (t) => {
    t.timeout(180_000);
    const [file, languageId, text] = each.document;
    const work = join(folders, name, "work");
    for (const script of Object.keys(each.files ?? {}).filter((at) => at.endsWith(".sh")))
      chmodSync(join(work, script), 0o755);
    symlinkSync(await programPath("."), join(work, "node_modules"));
    const program = await programPath(each.program);
    const at = editor(t, daemon, name, [program, ...(each.args ?? ["--stdio"])]);
    const rootUri = pathToFileURL(work).href;
    await at.request("initialize", {
      processId: null,
      rootUri,
      workspaceFolders: [{ uri: rootUri, name: "work" }],
      capabilities: {
        workspace: {
          configuration: true,
          workspaceFolders: true,
          didChangeConfiguration: { dynamicRegistration: true },
        },
        textDocument: { publishDiagnostics: {}, hover: { contentFormat: ["plaintext"] } },
      },
      initializationOptions: each.options ?? {},
    });
    at.notify("initialized", {});
    const uri = `${rootUri}/${file}`;
    at.notify("textDocument/didOpen", { textDocument: { uri, languageId, version: 1, text } });
    t.regex(await said(at, each, uri, before), before);
    writeFileSync(join(folders, name, "settings.jsonc"), saved.replaceAll("%WORK%", work));
    t.regex(await said(at, each, uri, after), after);
  });
}

test.serial("the proxy finds the block by the program's name", async (t) => {
  t.timeout(180_000);
  const cwd = folder(t);
  writeFileSync(join(folders, "yaml/settings.jsonc"), '{"yaml.keyOrdering": true}');
  const program = join(cwd, "yaml-language-server");
  const real = await programPath("yaml-language-server/bin/yaml-language-server");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${real}' "$@"\n`, { mode: 0o755 });
  const at = editor(t, daemon, undefined, [program, "--stdio"]);
  const capabilities = { workspace: { configuration: true } };
  await at.request("initialize", { processId: null, rootUri: null, capabilities });
  at.notify("initialized", {});
  const uri = pathToFileURL(join(cwd, "a.yaml")).href;
  const textDocument = { uri, languageId: "yaml", version: 1, text: "b: 1\na: 2\n" };
  at.notify("textDocument/didOpen", { textDocument });
  const [found] = await at.diagnostics(uri, (all) => all.length > 0);
  t.regex(found.message, /[Ww]rong ordering/);
});

/** What the server says, once it fits. */
async function said(at: Editor, { ask }: Case, uri: string, fit: RegExp): Promise<string> {
  if (!ask) {
    const text = (found: readonly { readonly message: string }[]) =>
      found.map(({ message }) => message).join("\n");
    return text((await at.diagnostics(uri, (found) => fit.test(text(found)))) as never);
  }
  return eventually(`${fit}`, async () => {
    const { result } = await at.request(ask.method, { textDocument: { uri }, ...ask.params });
    const all = result?.contents ?? result?.items?.map(({ message }: SentMessage) => message) ?? [];
    const text = [all]
      .flat()
      .map((part) => part.value ?? part)
      .join("\n");
    return fit.test(text) ? { text } : undefined;
  }).then(({ text }) => text);
}
