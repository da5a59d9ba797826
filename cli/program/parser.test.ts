import test, { type ExecutionContext } from "ava";
import {
  type Call,
  type CommandEntry,
  choice,
  count,
  defineCommand,
  flag,
  text,
  texts,
} from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { createOutput } from "../plugin-api/output.js";
import { parserFor } from "./parser.js";

const command = defineCommand({
  arguments: [
    { name: "FIRST", summary: "one", required: true },
    { name: "REST", summary: "others", variadic: true },
  ],
  options: {
    dryRun: flag("nothing is done", { short: "n" }),
    mode: choice(["fast", "slow"], "how", { fallback: "slow" }),
    kind: choice(["a", "b"], "which"),
    name: text("NAME", "who", { short: "m" }),
    limit: count("N", "how many", { fallback: 10 }),
    tag: texts("TAG", "what"),
  },
  examples: [{ command: "tool go x", does: "goes" }],
  run: async () => Exit.ok,
});

const entries: readonly CommandEntry[] = [
  { name: "go", summary: "goes", load: async () => ({ command }) },
  {
    name: "never",
    summary: "is not loaded",
    load: () => Promise.reject(new Error("loaded without need")),
  },
];

async function read(t: ExecutionContext, words: readonly string[]) {
  let call: Pick<Call, "arguments" | "options"> | undefined;
  const silent = { write: () => undefined };
  const program = await parserFor(words, {
    name: "tool",
    description: "",
    version: "1.0.0",
    entries,
    output: createOutput(silent, silent, {}),
    run: async (called, given) => {
      t.is(called, command);
      call = given;
      return Exit.ok;
    },
  });
  await program.parseAsync([...words], { from: "user" });
  return call;
}

test("what is not written has its fallback", async (t) => {
  t.deepEqual(await read(t, ["go", "x"]), {
    arguments: ["x"],
    options: {
      dryRun: false,
      mode: "slow",
      kind: undefined,
      name: undefined,
      limit: 10,
      tag: [],
    },
  });
});

test("every kind of option is read, in any order", async (t) => {
  const words = "go -n x --tag=one --mode fast y --kind b -m Ada --limit 0 --tag two".split(" ");
  t.deepEqual(await read(t, words), {
    arguments: ["x", "y"],
    options: {
      dryRun: true,
      mode: "fast",
      kind: "b",
      name: "Ada",
      limit: 0,
      tag: ["one", "two"],
    },
  });
});

test("what stands behind `--` is no option", async (t) => {
  t.deepEqual((await read(t, ["go", "--", "-n", "--tag"]))?.arguments, ["-n", "--tag"]);
});

const refused = test.macro<[readonly string[], string]>({
  exec: async (t, words, code) => {
    await t.throwsAsync(read(t, words), { code });
  },
  title: (_, words = []) => `\`${words.join(" ")}\` is refused`,
});
test(refused, ["go"], "commander.missingArgument");
test(refused, ["go", "x", "--limit", "-1"], "commander.invalidArgument");
test(refused, ["go", "x", "--limit", "1.5"], "commander.invalidArgument");
test(refused, ["go", "x", "--mode", "medium"], "commander.invalidArgument");
test(refused, ["go", "x", "--name"], "commander.optionMissingArgument");
test(refused, ["go", "x", "--nam", "y"], "commander.unknownOption");
