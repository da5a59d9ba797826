/** The plugin's page keeps its word: its examples are valid, and every attribute is on it with its default. */
import { readFileSync } from "node:fs";
import test from "ava";
import { describeBlock } from "../../daemon/plugin-api/block.js";
import type { BlockDescriptor } from "../../daemon/plugin-api/descriptor.js";
import plugin from "../../plugins/hooks/plugin.js";
import { configurationOf } from "./hook-of.js";

const page = readFileSync(new URL("../../../plugins/hooks/README.md", import.meta.url), "utf8");
const examples = [...page.matchAll(/^```reeve\n(.*?)^```/gms)].map(([, text = ""]) => text);

test("its examples are valid", async (t) => {
  t.true(examples.length >= 4);
  for (const example of examples) {
    const { blocks } = await configurationOf(example);
    const { hook, hooks_file, schedule, watch, task } = blocks;
    const written = [...hook, ...hooks_file, ...schedule, ...watch, ...task];
    t.true(written.length > 0, example);
  }
});

test("the examples in the blocks' own descriptions are valid", async (t) => {
  const {
    hook_server: server,
    hook,
    hooks_file: file,
    schedule,
    watch,
    task,
    notify,
    ping,
  } = plugin.blocks;
  const nested = Object.values(hook.options.blocks ?? {}).flatMap(
    ({ options }) => options.examples ?? [],
  );
  t.true(nested.length > 0);
  const texts = [
    ...(server.options.examples ?? []),
    ...(hook.options.examples ?? []),
    ...(file.options.examples ?? []),
    ...(schedule.options.examples ?? []),
    ...(watch.options.examples ?? []),
    ...(task.options.examples ?? []),
    ...(notify.options.examples ?? []),
    ...(ping.options.examples ?? []),
    ...nested.map((text) => `hook "x" {\n  run = ["true"]\n${text}\n}`),
  ];
  for (const text of texts) await t.notThrowsAsync(configurationOf(text), text);
});

test("every attribute is in a table, with its default", (t) => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \|/gm)];
  const missing: string[] = [];
  const visit = ({ attributes, blocks }: BlockDescriptor): void => {
    for (const [name, { default: value, required }] of Object.entries(attributes)) {
      const wanted = required ? "needed" : value === undefined ? undefined : `\`${value}\``;
      const shown = rows.some(
        ([, row, given]) => row === name && (wanted === undefined || given === wanted),
      );
      if (!shown) missing.push(name);
    }
    Object.values(blocks).forEach(visit);
  };
  Object.values(plugin.blocks).map(describeBlock).forEach(visit);
  t.deepEqual(missing, []);
});

test("every diagnostic is in its table", (t) => {
  const codes = ["assign", "inspect", "server/inspect-server", "file-hooks/hooks-files"].flatMap(
    (file) => [
      ...readFileSync(
        new URL(`../../../plugins/hooks/${file}.ts`, import.meta.url),
        "utf8",
      ).matchAll(/code(?::| =) "(\w+)"/g),
    ],
  );
  const shown = [...page.matchAll(/^\| `hooks\.(\w+)` \|/gm)];
  const sorted = (matches: readonly RegExpExecArray[]) =>
    [...new Set(matches.map(([, code]) => code))].toSorted();
  t.deepEqual(sorted(shown), sorted(codes));
});
