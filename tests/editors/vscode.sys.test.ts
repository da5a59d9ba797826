/** The VS Code extension: its package, and its client with the real server. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, posix } from "node:path";
import test, { type ExecutionContext } from "ava";
import { strFromU8, unzipSync } from "fflate";
import { SaxesParser } from "saxes";
import { findServer } from "../../editors/vscode/src/find-server.js";
import { output } from "../support/child.js";
import { command } from "../support/command.js";
import { REEVE } from "../support/commands.js";
import { eventually } from "../support/eventually.js";
import { folder } from "../support/folder.js";
import { FakeEditor } from "./testing/vscode.js";

function packed(t: ExecutionContext): Uint8Array {
  const file = join(folder(t), "reeve.vsix");
  output(process.execPath, ["scripts/vscode-extension.mjs", file]);
  return readFileSync(file);
}

test("the package has what the manifests name, and is the same each time", (t) => {
  archive ??= packed(t);
  t.deepEqual(Buffer.from(archive), Buffer.from(packed(t)));
  const files = unzipSync(archive);
  const names = Object.keys(files);
  const text = (name: string) => strFromU8(files[name] ?? new Uint8Array());
  const manifest = JSON.parse(text("extension/package.json"));
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));

  // Of the editor: name, publisher, version and engine identify a package; scripts and dependencies have no use in it.
  t.regex(manifest.name, /^[a-z0-9-]+$/);
  t.regex(manifest.publisher, /^[a-z0-9-]+$/);
  t.is(manifest.version, version);
  t.regex(manifest.engines.vscode, /^\^\d+\.\d+\.\d+$/);
  for (const absent of ["scripts", "dependencies", "devDependencies"]) t.false(absent in manifest);

  const { languages, grammars, snippets, walkthroughs, commands, configuration } =
    manifest.contributes;
  const ids = new Set(languages.map(({ id }: { readonly id: string }) => id));
  const named: string[] = [manifest.main, ...languages.map((each: Named) => each.configuration)];
  for (const each of [...grammars, ...snippets]) {
    t.true(ids.has(each.language), each.language);
    named.push(each.path);
  }
  for (const { steps } of walkthroughs) {
    for (const { media } of steps) named.push(media.markdown);
  }
  t.deepEqual(
    named.filter((path) => !names.includes(posix.join("extension", path))),
    [],
  );
  for (const { command } of commands) t.true(text("extension/extension.js").includes(command));
  const properties = Object.entries<Setting>(configuration.properties);
  for (const [key, { type, default: byDefault, scope }] of properties) {
    t.regex(key, /^reeve\./);
    t.is<string, string>(typeof byDefault, type, key);
    t.regex(scope, /^(machine-overridable|resource|window)$/, key);
    t.true(key === "reeve.trace.server" || text("extension/README.md").includes(`\`${key}\``), key);
  }

  const content = elements(text("[Content_Types].xml"), "Default");
  const described = new Set(content.map(({ Extension }) => Extension));
  t.deepEqual(
    names.filter((name) => name !== "[Content_Types].xml" && !described.has(extname(name))),
    [],
  );
  const vsix = text("extension.vsixmanifest");
  t.deepEqual(elements(vsix, "Identity"), [
    { Language: "en-US", Id: manifest.name, Version: version, Publisher: manifest.publisher },
  ]);
  const assets = elements(vsix, "Asset").map(({ Path }) => Path ?? "");
  t.deepEqual(
    assets.filter((path) => !names.includes(path)),
    [],
  );
  t.like(
    elements(vsix, "Property").find(({ Id }) => Id === "Microsoft.VisualStudio.Code.Engine"),
    { Value: manifest.engines.vscode },
  );
  const grammar = JSON.parse(text("extension/reeve.tmLanguage.json"));
  t.is(grammar.scopeName, grammars[0].scopeName);
});

interface Named {
  readonly configuration: string;
}
interface Setting {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
}

/** The attributes of all elements of a name. @throws Error where the text is not XML */
function elements(xml: string, name: string): ReadonlyArray<Readonly<Record<string, string>>> {
  const found: Record<string, string>[] = [];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) => {
    if (tag.name === name) found.push(tag.attributes as Record<string, string>);
  });
  parser.write(xml).close();
  return found;
}

test("every snippet, with each of its choices, passes `reeve check`", async (t) => {
  t.timeout(90_000);
  const snippets = Object.values<{ readonly body: readonly string[] }>(
    JSON.parse(readFileSync("editors/vscode/snippets.json", "utf8")),
  );
  t.true(snippets.length > 5);
  const texts = snippets.flatMap(({ body }) => {
    const text = body
      .join("\n")
      .replace(/\$\{\d+:((?:[^{}]|\{[^}]*\})*)\}/g, "$1")
      .replace(/\$\d/g, "");
    const [choice, choices] = /\$\{\d+\|([^}]*)\|\}/.exec(text) ?? [];
    return choice === undefined
      ? [text]
      : (choices ?? "").split(",").map((each) => text.replace(choice, each));
  });
  t.true(texts.length > snippets.length);
  const named = texts.map((text, index) => text.replace(/^hook "\w+"/, `hook "h${index}"`));
  const cwd = folder(t, { "main.reeve": `${named.join("\n\n")}\n` });
  const { code, stdout } = await command(["check", cwd]);
  t.is(code, 0, stdout);
});

test("the language's rules are regular expressions that do what they are for", (t) => {
  const { indentationRules, onEnterRules, wordPattern } = JSON.parse(
    readFileSync("editors/vscode/language-configuration.json", "utf8"),
  );
  const increases = new RegExp(indentationRules.increaseIndentPattern);
  for (const line of ['hook "a" {', "  run = [", "x = f(", "verify {  # who"])
    t.regex(line, increases);
  for (const line of ["}", "x = 1", "# a {", "run = []"]) t.notRegex(line, increases);
  t.regex("  }", new RegExp(indentationRules.decreaseIndentPattern));
  t.regex("## Deploys", new RegExp(onEnterRules[0].beforeText));
  t.notRegex("# Deploys", new RegExp(onEnterRules[0].beforeText));
  t.is(new RegExp(wordPattern).exec("run_as = 1")?.[0], "run_as");
});

test("the program is found by the setting, in the workspace and in PATH, as far as it is trusted", (t) => {
  const root = folder(t, {
    "a/node_modules/.bin/reeve": "",
    "bin/reeve": "",
    "own/reeve": "",
    "plain/reeve": "",
  });
  for (const name of ["a/node_modules/.bin", "bin", "own"])
    chmodSync(join(root, name, "reeve"), 0o755);
  mkdirSync(join(root, "folder/reeve"), { recursive: true });
  const at = (...names: readonly string[]) => join(root, ...names, "reeve");
  const found = (configured: string, isTrusted: boolean, path: string) =>
    findServer({ configured, folders: [join(root, "b"), join(root, "a")], isTrusted, path });
  const bin = join(root, "bin");
  t.is(found(at("own"), true, bin), at("own"));
  t.is(found("../own/reeve", true, bin), at("own"));
  t.is(found("/no/such/reeve", true, bin), undefined, "a wrong setting is not passed over");
  t.is(found(at("own"), false, bin), at("bin"), "the setting may come from the workspace");
  t.is(found("", true, bin), at("a/node_modules/.bin"));
  t.is(found("", false, `${root}/plain:${root}/folder:${bin}`), at("bin"));
  t.is(found("", false, "a/node_modules/.bin"), undefined, "PATH does not lead into the workspace");
});

let archive: Uint8Array | undefined;

/** The extension's code as the editor loads it. */
function loaded(t: ExecutionContext, editor: FakeEditor) {
  archive ??= packed(t);
  const code = strFromU8(unzipSync(archive)["extension/extension.js"] ?? new Uint8Array());
  const module = { exports: {} as Record<string, (context: unknown) => Promise<void>> };
  const load = createRequire(import.meta.url);
  const request = (name: string) => (name === "vscode" ? editor.module : load(name));
  new Function("module", "exports", "require", code)(module, module.exports, request);
  return module.exports;
}

const context = () => ({ subscriptions: [] as Array<{ dispose(): void }> });

test("the extension shows what the server says, and ends it", async (t) => {
  t.timeout(120_000);
  const cwd = folder(t, {
    "main.reeve": "",
    reeve: `#!/bin/sh\necho $$ >> "$(dirname "$0")/pids"\nexec ${process.execPath} ${REEVE} "$@"\n`,
  });
  chmodSync(join(cwd, "reeve"), 0o755);
  const editor = new FakeEditor(cwd, { "reeve.server.path": "reeve", "reeve.inlayHints": true });
  const file = join(cwd, "main.reeve");
  const text = (line: string) =>
    `hook_server "default" { listen = "127.0.0.1:0" }\nhook "a" {\n  ${line}\n  run = ["true"]\n}\n`;
  editor.open(file, text("timeot = 10m"));
  const { activate, deactivate } = loaded(t, editor);
  t.teardown(() => deactivate?.(undefined));
  await activate?.(context());
  t.deepEqual(editor.messages, []);
  const [wrong] = await editor.diagnostics(file, (all) => all.length === 1);
  t.like(wrong, { severity: 0, range: { start: { line: 2, character: 2 } } });
  t.regex(wrong.message, /timeot/);

  const fixed = editor.open(file, text("timeout = 10m"), 2);
  await editor.diagnostics(file, (all) => all.length === 0);
  const { Position, CancellationTokenSource } = editor.module;
  const { token } = new CancellationTokenSource();
  const hover = await editor
    .provider("HoverProvider")
    .provideHover(fixed, new Position(2, 4), token);
  t.regex(hover.contents.value, /^\*\*timeout\*\*: a duration/);
  const completions = await editor
    .provider("CompletionItemProvider")
    .provideCompletionItems(fixed, new Position(2, 2), token, { triggerKind: 0 });
  const labels = [completions.items ?? completions]
    .flat()
    .map(({ label }: { readonly label: string }) => label);
  t.true(labels.includes("concurrency"));

  t.deepEqual(editor.messages, []);
  await editor.command("reeve.restartServer");
  const pids = () => readFileSync(join(cwd, "pids"), "utf8").trim().split("\n").map(Number);
  t.is(pids().length, 2);
  await deactivate?.(undefined);
  for (const pid of pids()) await ended(pid);
});

async function ended(pid: number): Promise<void> {
  await eventually(`the end of ${pid}`, () => !existsSync(`/proc/${pid}`));
}

test("without a program the extension says where it looked, and opens the settings", async (t) => {
  const editor = new FakeEditor(folder(t), { "reeve.server.path": "./no-such-program" });
  editor.choice = () => "Open Settings";
  const { activate, deactivate } = loaded(t, editor);
  await activate?.(context());
  await deactivate?.(undefined);
  t.regex(editor.messages[0] ?? "", /no `reeve` program/);
  t.deepEqual(editor.executed, [["workbench.action.openSettings", "reeve.server.path"]]);
});
