/** `reeve settings check`: everything that is wrong with settings files. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import {
  choice,
  countText,
  type Diagnostic,
  defineCommand,
  Exit,
  flag,
  json,
  render,
  type Source,
  sanitize,
  shownPath,
  toJson,
} from "reeve/cli";
import { type CheckedFile, checkFile, DIALECTS, type SettingsFinding } from "../offline.js";
import { checkers, schemaOption } from "./schema-option.js";

export const command = defineCommand({
  description:
    "Reads JSON, JSONC and JSON5 by the file's name and tells every fault at once, also what the server would ignore " +
    "without a word: keys it does not know, paths that are not there. Needs no daemon. Of a directory, every file that " +
    "is named like the server is checked. With --json: diagnostics as `reeve check --json` has them.",
  arguments: [
    { name: "FILE", summary: "settings files, or directories", required: true, variadic: true },
  ],
  options: {
    schema: schemaOption,
    dialect: choice(DIALECTS, "how the files are written (default: by their names)"),
    strict: flag("treat warnings as findings"),
    all: flag("show every diagnostic, not only the first 20"),
    json,
  },
  examples: [
    { command: "reeve settings check ~/.config/zls.json", does: "checks the settings of ZLS" },
    {
      command: "reeve settings check --schema ./my.schema.json my.json5",
      does: "checks against a schema of one's own",
    },
    { command: "reeve settings check --schema zls .", does: "checks every zls.json below" },
  ],
  exits: { [Exit.findings]: "a file has an error (with --strict: or a warning)" },
  async run({ arguments: named, options, output }) {
    const checkerFor = checkers(options.schema);
    const found = named.map((each) => filesAt(each, options.schema));
    const paths = found.flatMap(({ files }) => files);
    const checked: CheckedFile[] = [];
    for (const path of paths) {
      checked.push(await checkFile(path, await checkerFor(path), options.dialect));
    }
    checked.push(...found.flatMap(({ without }) => without ?? []));
    const { diagnostics, sources } = diagnosticsOf(checked);
    if (options.json) {
      const all = sanitize(diagnostics, sources);
      output.json({ diagnostics: all.map((each) => toJson(each, sources)) });
    } else if (diagnostics.length === 0) {
      output.out.line(`Nothing is wrong in ${countText(paths.length, "file")}.`);
    } else {
      const { colour } = output.out;
      output.out.write(
        render(diagnostics, sources, { colour, ...(options.all && { limit: Infinity }) }),
      );
    }
    const isFinding = (severity: string) =>
      severity === "error" || (options.strict && severity === "warning");
    return diagnostics.some(({ severity }) => isFinding(severity)) ? Exit.findings : Exit.ok;
  },
});

/** What is to be checked at a path. */
interface CheckedPath {
  readonly files: readonly string[];
  /** A directory in which there is nothing to check, and so probably not the one that was meant. */
  readonly without?: CheckedFile;
}

/** A file stands for itself, a directory for what below it is named like the server. */
function filesAt(named: string, schema = "zls"): CheckedPath {
  const path = resolve(named);
  if (!isDirectory(path)) return { files: [path] };
  const server = /[./]/.test(schema) ? "*" : schema;
  const endings = DIALECTS.map((dialect) => `.${dialect}`);
  const isWanted = (name: string): boolean =>
    server === "*"
      ? !name.startsWith(".") && endings.some((ending) => name.endsWith(ending))
      : name.startsWith(server) && endings.includes(name.slice(server.length));
  const files: string[] = [];
  below(path, isWanted, files);
  if (files.length > 0) return { files: files.sort() };
  const wanted = `${server}.{${DIALECTS.join(",")}}`;
  const message = `it is a directory, and no file below it is named ${wanted}`;
  const finding: SettingsFinding = { severity: "error", code: "unreadable", message };
  return { files: [], without: { path, text: "", findings: [finding] } };
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Neither hidden directories nor dependencies are looked into, nor what symbolic links lead to. */
function below(directory: string, isWanted: (name: string) => boolean, files: string[]): void {
  for (const entry of entriesOf(directory)) {
    const { name } = entry;
    if (!entry.isDirectory()) {
      if (isWanted(name)) files.push(join(directory, name));
    } else if (!name.startsWith(".") && name !== "node_modules") {
      below(join(directory, name), isWanted, files);
    }
  }
}

/** None of a directory that may not be read. */
function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

interface FoundDiagnostics {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, Source>;
}

/** The findings in settings files as diagnostics, with the texts that these quote. */
function diagnosticsOf(files: readonly CheckedFile[]): FoundDiagnostics {
  const wrong = files.filter(({ findings }) => findings.length > 0);
  return {
    diagnostics: wrong.flatMap(({ path, findings }) =>
      findings.map((finding) => diagnostic(shownPath(path), finding)),
    ),
    sources: new Map(
      wrong.map(({ path, text }) => [shownPath(path), { path: shownPath(path), text }]),
    ),
  };
}

function diagnostic(file: string, finding: SettingsFinding): Diagnostic {
  const { severity, code, message, span, label, help, replacement, related } = finding;
  const title = replacement === "" ? "remove it" : `write \`${replacement}\``;
  return {
    code: `settings.${code}`,
    severity,
    message: span ? message : `\`${file}\`: ${message}`,
    ...(span && { location: { file, ...span } }),
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    ...(span &&
      replacement !== undefined && {
        fix: { title, edits: [{ file, ...span, text: replacement }] },
      }),
    ...(related && {
      related: [{ location: { file, ...related.span }, message: related.message }],
    }),
  };
}
