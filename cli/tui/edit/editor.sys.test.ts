/** The command that opens a file at a line, and where a block is. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../../testing/reeve.js";
import { clipboardSequence } from "./clipboard.js";
import { blockPosition, editorCommand, runEditor } from "./editor.js";

const commands: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
  [{}, "vi +7 /etc/a.reeve"],
  [{ EDITOR: "nano" }, "nano +7 /etc/a.reeve"],
  [{ EDITOR: "nano", VISUAL: "/usr/bin/nvim -R" }, "/usr/bin/nvim -R +7 /etc/a.reeve"],
  [{ VISUAL: "", EDITOR: "hx" }, "hx /etc/a.reeve:7"],
  [{ VISUAL: "code" }, "code --wait -g /etc/a.reeve:7"],
  [{ VISUAL: "zed" }, "zed --wait /etc/a.reeve:7"],
  [{ VISUAL: "own-editor" }, "own-editor /etc/a.reeve"],
];
for (const [environment, command] of commands)
  test(`${JSON.stringify(environment)} starts \`${command}\``, (t) => {
    const position = { path: "/etc/a.reeve", line: 7 };
    t.is(editorCommand(environment, position).join(" "), command);
  });

test("a block is found in the file that it is in", async (t) => {
  const directory = folder(t, {
    "main.reeve":
      'import "./more.reeve" as more\nhook_server "main" { listen = "127.0.0.1:9000" }\n',
    "more.reeve": '# A hook.\n\nhook "deploy" {\n  run = ["true"]\n}\n',
  });
  const root = join(directory, "main.reeve");
  t.deepEqual(await blockPosition(root, "hook.deploy"), {
    path: join(directory, "more.reeve"),
    line: 3,
  });
  await t.throwsAsync(blockPosition(root, "hook.other"), {
    message: "the configuration on disk has no block `hook.other`",
  });
  writeFileSync(root, "hook {");
  await t.throwsAsync(blockPosition(root, "hook.deploy"), { message: /has mistakes/ });
});

test.serial("an editor has the file and the line, and its failure is one sentence", async (t) => {
  const directory = folder(t, { "a.reeve": "", nano: '#!/bin/sh\necho "$@" > seen\n' });
  chmodSync(join(directory, "nano"), 0o755);
  const position = { path: join(directory, "a.reeve"), line: 2 };
  const { VISUAL } = process.env;
  t.teardown(() => {
    if (VISUAL === undefined) delete process.env.VISUAL;
    else process.env.VISUAL = VISUAL;
  });
  process.env.VISUAL = join(directory, "nano");
  await runEditor(position);
  t.is(readFileSync(join(directory, "seen"), "utf8"), `+2 ${position.path}\n`);
  process.env.VISUAL = "false";
  await t.throwsAsync(runEditor(position), { message: "the editor `false` ended with 1" });
  process.env.VISUAL = join(directory, "missing");
  await t.throwsAsync(runEditor(position), { message: /missing` cannot be started/ });
});

test("a text reaches the clipboard as it is, and one that is too long does not", (t) => {
  t.is(clipboardSequence("Grüße\n"), "\u001b]52;c;R3LDvMOfZQo=\u0007");
  t.is(clipboardSequence("x".repeat(60_000)), undefined);
});
