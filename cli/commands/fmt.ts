/** `reeve fmt`: formats configuration files. */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Diagnostic, Source } from "../../grammar/diagnostic.js";
import { format, render, toJson } from "../../grammar/index.js";
import { type Call, defineCommand, flag, json } from "../plugin-api/command.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import type { Output } from "../plugin-api/output.js";
import { filesBelow, readStdin, readText, replaceFile, shownPath } from "../project/files.js";

const options = {
  check: flag("write nothing; list files that are not formatted"),
  json,
};

export const command = defineCommand({
  description:
    "Changes only whitespace, line ends, `;` and commas, and writes a file only if its meaning stays the same. " +
    "Skips files with syntax errors. There are no style options.",
  arguments: [
    {
      name: "FILE",
      summary:
        "files, or directories with all *.reeve files below them (default: .); `-` reads standard input and prints",
      variadic: true,
    },
  ],
  options,
  examples: [
    { command: "reeve fmt", does: "formats every *.reeve file from here down" },
    { command: "reeve fmt --check", does: "in CI: fails when a file is not formatted" },
    { command: "reeve fmt - < main.reeve", does: "prints the formatted text, for editors" },
  ],
  exits: {
    [Exit.findings]: "with --check: a file is not formatted",
    [Exit.noInput]: "a file cannot be read",
    [Exit.cannotCreate]: "a file cannot be written",
    [Exit.configuration]: "a file has a syntax error",
  },
  async run(call) {
    const named = call.arguments;
    if (!named.includes("-")) return formatFiles(await filesNamed(named), call);
    if (named.length === 1 && !call.options.json) return formatStdin(call);
    throw new Failure(Exit.usage, "`-` is for standard input alone, without other files or --json");
  },
});

type FmtCall = Call<typeof options>;

/** The result for one text. */
interface FormatResult extends Source {
  readonly state: "formatted" | "unchanged" | "invalid";
  readonly diagnostics: readonly Diagnostic[];
}

async function filesNamed(named: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    (named.length === 0 ? ["."] : named).map(async (name) => {
      const path = resolve(name);
      const isDirectory = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
      return isDirectory ? (await filesBelow(path)).map((file) => join(path, file)) : [path];
    }),
  );
  return [...new Set(found.flat())];
}

async function formatFiles(paths: readonly string[], call: FmtCall): Promise<ExitCode> {
  const results: FormatResult[] = [];
  for (const path of paths) results.push(await formatFile(path, call.options.check));
  report(results, call);
  return exitOf(results, call.options.check);
}

async function formatFile(path: string, check: boolean): Promise<FormatResult> {
  if (path.endsWith(".json")) {
    throw new Failure(Exit.usage, `\`${shownPath(path)}\` is JSON; fmt is for *.reeve files`);
  }
  const source = { path: shownPath(path), text: await readText(path) };
  const { text, diagnostics } = format(source.text, source.path);
  if (diagnostics) return { ...source, state: "invalid", diagnostics };
  if (text === source.text) return { ...source, state: "unchanged", diagnostics: [] };
  if (!check) await replaceFile(path, text);
  return { ...source, state: "formatted", diagnostics: [] };
}

async function formatStdin({ options: { check }, output }: FmtCall): Promise<ExitCode> {
  const source = { path: "<stdin>", text: await readStdin() };
  const { text, diagnostics = [] } = format(source.text);
  if (text === undefined) {
    complain([{ ...source, state: "invalid", diagnostics }], output);
    return Exit.configuration;
  }
  if (!check) output.out.write(text);
  return check && text !== source.text ? Exit.findings : Exit.ok;
}

function exitOf(results: readonly FormatResult[], check: boolean): ExitCode {
  if (results.some(({ state }) => state === "invalid")) return Exit.configuration;
  return check && results.some(({ state }) => state === "formatted") ? Exit.findings : Exit.ok;
}

/** The names of the files that are, or would be, different. */
function report(results: readonly FormatResult[], { options, output }: FmtCall): void {
  if (options.json) {
    output.json({
      files: results.map(({ path, state }) => ({ file: path, state })),
      diagnostics: results.flatMap(({ diagnostics, path, text }) =>
        diagnostics.map((diagnostic) => toJson(diagnostic, new Map([[path, { path, text }]]))),
      ),
    });
    return;
  }
  const changed = results.filter(({ state }) => state === "formatted");
  for (const { path } of changed) output.out.line(path);
  if (options.check && changed.length > 0) output.err.line("Run `reeve fmt` to format them.");
  complain(results, output);
}

function complain(results: readonly FormatResult[], { err }: Output): void {
  const diagnostics = results.flatMap((result) => result.diagnostics);
  if (diagnostics.length === 0) return;
  const sources = new Map(results.map((result) => [result.path, result]));
  const footer = "Files with errors are not formatted.";
  err.write(render(diagnostics, sources, { colour: err.colour, footer }));
}
