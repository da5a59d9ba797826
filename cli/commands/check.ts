/** `reeve check`: all diagnostics of a configuration, and its tests. */
import { resolve } from "node:path";
import type { Loaded } from "../../daemon/config/program.js";
import { render, sanitize, toJson } from "../../grammar/index.js";
import { type Call, choice, defineCommand, flag, json, text } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { exitFor } from "../print/exit-for.js";
import { countText } from "../print/units.js";
import { version } from "../program/version.js";
import { checkConfiguration, hostOptions } from "../project/check-host.js";
import { readStdin, shownPath } from "../project/files.js";
import { fileArgument, rootFile } from "../project/load.js";

const FORMATS = ["text", "json", "sarif", "github"] as const;
type Format = (typeof FORMATS)[number];

const options = {
  format: choice(FORMATS, "the output format", { fallback: "text" }),
  json,
  all: flag("show every diagnostic, not only the first 20"),
  strict: flag("treat warnings as findings"),
  ...hostOptions,
  stdinAs: text("PATH", "read the text of this file from standard input, for editors"),
};

type CheckCall = Call<typeof options>;

export const command = defineCommand({
  description:
    "Reads the root file and all imports as the daemon does, and changes nothing. " +
    "It reports what `reeve up` would. Findings about the machine (a missing program, an unset secret, a taken port) are " +
    "warnings. With --host, and where a daemon runs this configuration, they are as severe as for `reeve up`. " +
    "Without other errors the `test` blocks run.",
  arguments: [fileArgument],
  options,
  examples: [
    { command: "reeve check", does: "checks ./main.reeve" },
    { command: "reeve check /etc/reeve", does: "checks /etc/reeve/main.reeve" },
    {
      command: "reeve check --json --stdin-as teams/web.reeve",
      does: "checks an unsaved buffer of an editor",
    },
    {
      command: "reeve check --host",
      does: "fails if `reeve up` could not start on this machine",
    },
    { command: "reeve check --format github", does: "annotates the lines of a pull request" },
    {
      command: "reeve check --format sarif > reeve.sarif",
      does: "writes a report for code scanning",
    },
  ],
  exits: {
    [Exit.findings]:
      "the configuration is valid, but a test fails (with --strict: or there are warnings)",
    [Exit.noInput]: "there is no such file",
    [Exit.temporary]: "only this machine lacks something: a secret, a port or a file",
    [Exit.configuration]: "the configuration is invalid",
  },
  async run({ arguments: [file], options, output }) {
    const root = rootFile(file);
    const { stdinAs } = options;
    const overlay = new Map(
      stdinAs === undefined ? [] : [[resolve(stdinAs), await readStdin()] as const],
    );
    const loaded = await checkConfiguration(root, { ...options, overlay });
    await show(loaded, root, options, output);
    return exitFor(loaded.diagnostics, options.strict);
  },
});

async function show(
  loaded: Loaded,
  root: string,
  { json: asJson, format: named, all }: CheckCall["options"],
  output: Output,
): Promise<void> {
  const format: Format = asJson ? "json" : named;
  const { sources } = loaded;
  const diagnostics = sanitize(loaded.diagnostics, sources);
  if (format === "json") {
    output.json({
      diagnostics: diagnostics.map((diagnostic) => toJson(diagnostic, sources)),
      tests: loaded.tests.map(({ name, failures }) => ({ name, passed: failures.length === 0 })),
    });
  } else if (format === "sarif") {
    const { sarifOf } = await import("../print/sarif.js");
    const run = { directory: process.cwd(), version: version() };
    output.json(sarifOf(diagnostics, sources, run));
  } else if (format === "github") {
    const { githubOf } = await import("../print/github.js");
    output.out.write(githubOf(diagnostics, sources));
  } else if (diagnostics.length === 0) {
    output.out.line(`${shownPath(root)}: valid. ${sizeOf(loaded)}`);
  } else {
    const { colour } = output.out;
    output.out.write(
      render(diagnostics, sources, {
        colour,
        footer: testsOf(loaded),
        ...(all && { limit: Infinity }),
      }),
    );
  }
}

function sizeOf(loaded: Loaded): string {
  const blocks = countText(loaded.program?.blocks.size ?? 0, "block");
  const files = countText(loaded.sources.size, "file");
  return [`${blocks} in ${files}.`, testsOf(loaded)].filter((part) => part !== "").join(" ");
}

function testsOf({ tests }: Loaded): string {
  const failed = tests.filter(({ failures }) => failures.length > 0).length;
  if (tests.length === 0) return "";
  if (failed === 0) return `${countText(tests.length, "test")} passed.`;
  return `${failed} of ${countText(tests.length, "test")} failed.`;
}
