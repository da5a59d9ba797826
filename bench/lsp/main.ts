/**
 * Typing in a large configuration: 1,000 hooks in 20 files behind one import, the language server as a process of its own, an edit in
 * one file every 60 ms. Prints one table: node dist/bench/lsp/main.js
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver-protocol/node";
import { configuration, FILES, HOOKS } from "../reload/configuration.js";
import { residentMemory } from "../support/daemon.js";
import { print, quantile } from "../support/table.js";

const EDITS = 300;
const MEMORY_EDITS = 1000;
/** Milliseconds between two keys. */
const PAUSE = 60;
const BUNDLED = fileURLToPath(new URL("../../bundle/reeve.js", import.meta.url));
const PLAIN = fileURLToPath(new URL("../../cli/reeve.js", import.meta.url));

const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
const files = Object.entries(configuration());
for (const [name, text] of files) {
  mkdirSync(dirname(join(directory, name)), { recursive: true });
  writeFileSync(join(directory, name), text);
}
const [edited = "", before = ""] = files.find(([name]) => name !== "main.reeve") ?? [];
const uri = pathToFileURL(join(directory, edited)).href;
const program = existsSync(BUNDLED) ? BUNDLED : PLAIN;
const started = performance.now();
const child = spawn(process.execPath, [program, "lsp"], { stdio: ["pipe", "pipe", "inherit"] });
const ended = once(child, "exit");
try {
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  let published = Promise.withResolvers<void>();
  connection.onNotification("textDocument/publishDiagnostics", (sent: { uri: string }) => {
    if (sent.uri === uri) published.resolve();
  });
  connection.listen();
  await connection.sendRequest("initialize", { processId: null, rootUri: null, capabilities: {} });
  const initialized = performance.now() - started;
  await connection.sendNotification("initialized", {});
  await connection.sendNotification("textDocument/didOpen", {
    textDocument: { uri, languageId: "reeve", version: 0, text: before },
  });
  await published.promise;
  const first = performance.now() - started;
  let version = 0;
  const type = async (text: string) => {
    version += 1;
    await connection.sendNotification("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ text }],
    });
  };
  const line = before.split("\n").findIndex((each) => /^\s+timeout/.test(each));
  const lines = before.split("\n");
  const completions: number[] = [];
  const diagnostics: number[] = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    const word = "concurrency".slice(0, 1 + (edit % 10));
    const text = lines.toSpliced(line, 0, `  ${word}`).join("\n");
    published = Promise.withResolvers();
    const from = performance.now();
    await type(text);
    await connection.sendRequest("textDocument/completion", {
      textDocument: { uri },
      position: { line, character: 2 + word.length },
    });
    completions.push(performance.now() - from);
    await published.promise;
    diagnostics.push(performance.now() - from);
    await sleep(PAUSE);
  }
  for (let edit = 0; edit < MEMORY_EDITS; edit += 1) {
    published = Promise.withResolvers();
    await type(`${before}\n# ${edit}\n`);
    await published.promise;
  }
  const memory = residentMemory(child.pid as number);
  const milliseconds = (values: readonly number[]): string =>
    `p50 ${quantile(values, 0.5).toFixed(0)} ms, p95 ${quantile(values, 0.95).toFixed(0)} ms`;
  print(
    [
      {
        what: "answer to `initialize`, from the start of the process",
        result: `${initialized.toFixed(0)} ms`,
        bar: "",
      },
      {
        what: "first diagnostics, from the start of the process",
        result: `${first.toFixed(0)} ms`,
        bar: "",
      },
      { what: "key to completion", result: milliseconds(completions), bar: "p95 ≤ 20 ms" },
      { what: "key to diagnostics", result: milliseconds(diagnostics), bar: "≤ 100 ms" },
      {
        what: `memory after ${MEMORY_EDITS} edits`,
        result: `${Math.round(memory)} MiB`,
        bar: "≤ 220 MiB",
      },
    ],
    `${FILES * HOOKS} hooks in ${FILES} files, ${EDITS} edits ${PAUSE} ms apart.`,
  );
  await connection.sendRequest("shutdown");
  await connection.sendNotification("exit");
  connection.dispose();
  await ended;
} finally {
  child.kill();
  rmSync(directory, { recursive: true, force: true });
}
