/** `reeve plugin check`: the conformance checks on a plugin, without a test runner. */
import { readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type LocatedModule, locate } from "../../../daemon/catalog/locate.js";
import { errorMessage } from "../../../daemon/errors.js";
import type { ConformanceCheck, ConformanceOptions } from "../../../daemon/plugin-testing/index.js";
import { defineCommand, json, text } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { countText, duration } from "../../print/units.js";
import { shownPath } from "../../project/files.js";

export const command = defineCommand({
  description:
    "Runs the plugin's code in each isolation, in temporary directories: prepares, commits and discards edits, restarts and crashes it, " +
    "and looks for what it leaves behind. The options of the checks are the default export of a module: " +
    'the one that `"reeve": { "conformance": "./conformance.js" }` in package.json names, or conformance.js beside the plugin.',
  arguments: [
    { name: "SOURCE", summary: "a package, a directory or a module, as in `source` (default: .)" },
  ],
  options: {
    options: text("FILE", "the module with the options of the checks"),
    only: text("TEXT", "run the checks whose title contains this text"),
    json,
  },
  examples: [
    { command: "reeve plugin check", does: "checks the package in this directory" },
    {
      command: "reeve plugin check ./greet.mjs --options ./greet.conformance.mjs",
      does: "checks one file",
    },
  ],
  exits: {
    [Exit.findings]: "the plugin breaks the contract",
    [Exit.noInput]: "there is no such plugin or no module with options",
  },
  async run({ arguments: [source = "."], options, output, signal }) {
    const plugin = await find(source);
    const { conformanceChecks } = await import("../../../daemon/plugin-testing/index.js");
    const settings = await optionsOf(plugin, options.options);
    const all = conformanceChecks(new URL(plugin.url), settings);
    const checks = all.filter(({ title }) => title.includes(options.only ?? ""));
    const results: Result[] = [];
    for (const check of checks) {
      if (signal.aborted) break;
      const result = await perform(check);
      results.push(result);
      if (options.json) continue;
      const { passed, title, took, reason } = result;
      const sign = output.out.paint(passed ? "ok" : ["bold", "fail"], passed ? "ok  " : "FAIL");
      output.out.line(`${sign}  ${title} (${duration(took)})`);
      if (reason !== undefined) output.out.line(`      ${reason.replaceAll("\n", "\n      ")}`);
    }
    if (options.json) output.json({ plugin: plugin.code, version: plugin.version, results });
    const failed = results.filter(({ passed }) => !passed).length;
    output.err.line(`${countText(results.length, "check")}, ${failed} failed.`);
    return failed === 0 ? Exit.ok : Exit.findings;
  },
});

interface Result {
  readonly title: string;
  readonly passed: boolean;
  /** Milliseconds. */
  readonly took: number;
  readonly reason?: string;
}

async function perform({ title, run }: ConformanceCheck): Promise<Result> {
  const start = performance.now();
  const took = () => Math.round(performance.now() - start);
  try {
    await run();
    return { title, passed: true, took: took() };
  } catch (thrown) {
    return { title, passed: false, took: took(), reason: errorMessage(thrown) };
  }
}

async function find(source: string): Promise<LocatedModule> {
  const isPath = await stat(resolve(source)).then(
    () => true,
    () => false,
  );
  const located = await locate(isPath ? resolve(source) : source, process.cwd());
  if (located.kind === "found") return located.module;
  throw new Failure(
    Exit.noInput,
    located.kind === "unusable" ? located.why : `there is no plugin \`${source}\``,
    { help: "Name a module, or a directory with a package.json. `npm install` installs packages." },
  );
}

async function optionsOf(
  { code, url }: LocatedModule,
  named: string | undefined,
): Promise<ConformanceOptions> {
  const path = named === undefined ? await declared(code, url) : resolve(named);
  let found: unknown;
  try {
    found = ((await import(pathToFileURL(path).href)) as { default?: unknown }).default;
  } catch (thrown) {
    throw new Failure(
      Exit.noInput,
      `the options of the checks cannot be read: ${shownPath(path)}: ${errorMessage(thrown)}`,
      { help: "Export them as default: `config`, `edited` and `observe`; see docs/plugins.md." },
    );
  }
  if (isOptions(found)) return found;
  throw new Failure(
    Exit.noInput,
    `${shownPath(path)} exports no options: \`config\`, \`edited\` and \`observe\` are needed`,
  );
}

const isOptions = (value: unknown): value is ConformanceOptions => {
  const { config, edited, observe } = (value ?? {}) as Partial<ConformanceOptions>;
  return typeof config === "string" && typeof edited === "string" && typeof observe === "function";
};

async function declared(code: string, url: string): Promise<string> {
  const directory = (await stat(code)).isDirectory() ? code : dirname(code);
  const manifest = await readFile(join(directory, "package.json"), "utf8").then(
    (text) => JSON.parse(text) as { reeve?: { conformance?: unknown } },
    () => undefined,
  );
  const named = manifest?.reeve?.conformance;
  if (typeof named === "string") return resolve(directory, named);
  return new URL("conformance.js", url).pathname;
}
