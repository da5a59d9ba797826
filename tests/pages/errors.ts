/** `docs/errors.md`, made from the catalogues of codes. */
import { type CodeExplanation, exampleOf, explanations } from "../../cli/print/explanations.js";
import { everyCode, named, pluginCodes, withoutExample } from "../diagnostic-cases.js";

const INTRODUCTION = `# Diagnostics

<!-- Generated from the catalogues of codes by \`UPDATE_DOCS=1 npm test -- dist/tests/pages/**\`. -->

What \`reeve check\` and the daemon find in a configuration has a code, and a code always means the same. Errors keep a configuration from
running; the one that runs goes on. Warnings do not. Findings about the machine (a missing program, an unset secret, a taken port) are
warnings in \`reeve check\` and \`reeve plan\`. With \`--host\`, and where a daemon runs this configuration, they are as severe as in \`reeve up\`:
errors if it could not start (a secret, a port), warnings if it starts and shows them until they are gone (a program). A reload goes on with the last good content of
a file that a running block reads (\`hooks_file\`, a certificate), applies the rest, and shows the fault. \`reeve explain E101\` says in a terminal what stands here, and \`reeve fix\`
applies what is offered as a fix. Plugins have codes of their own, with their name in front: \`hooks.name\`.
`;

/** The first row whose letters a code begins with decides. */
const GROUPS: ReadonlyArray<readonly [start: string, title: string]> = [
  ["E0", "Reading the text"],
  ["E1", "Names and attributes"],
  ["E2", "References and functions"],
  ["E3", "Values"],
  ["E4", "Limits"],
  ["E5", "What is read from outside"],
  ["E6", "Plugins"],
  ["E7", "Tests"],
  ["W", "Warnings"],
];

/** `shown` is the output of a check of the files: diagnostics with carets. */
export async function errorsPage(
  shown: (code: string, entry: CodeExplanation) => Promise<string>,
): Promise<string> {
  const parts = [INTRODUCTION.trim()];
  for (const [start, title] of GROUPS) {
    parts.push(`## ${title}`);
    for (const [code, entry] of entriesOf(start)) {
      parts.push(await section(code, entry, shown));
    }
  }
  for (const plugin of Object.keys(pluginCodes)) {
    parts.push(`## Codes of the plugin \`${plugin}\``);
    for (const [code, entry] of named(plugin)) parts.push(await section(code, entry, shown));
  }
  parts.push(agreement());
  return `${parts.join("\n\n")}\n`;
}

/** Whether check, plan and up report a code alike, as tests/diagnostics.sys.test.ts finds. */
function agreement(): string {
  const rows = everyCode
    .toSorted()
    .map((code) => `| \`${code}\` | ${withoutExample[code] ?? "`check`, `plan` and `up` agree"} |`);
  return [
    "## Where each code is reported",
    "`reeve check`, `reeve plan`, `reeve up` and a reload find the same by the same path. A test runs all of them on an example of every code and compares codes and ranges. The others depend on more than the configuration.",
    ["| Code | Reported by |", "|---|---|", ...rows].join("\n"),
  ].join("\n\n");
}

const entriesOf = (start: string): ReadonlyArray<readonly [string, CodeExplanation]> =>
  Object.entries(explanations)
    .filter(([code]) => code.startsWith(start))
    .sort(([a], [b]) => (a < b ? -1 : 1));

async function section(
  code: string,
  entry: CodeExplanation,
  shown: (code: string, entry: CodeExplanation) => Promise<string>,
): Promise<string> {
  const files = exampleOf(entry).filter(({ name, text }) => isReadable(name) && text !== "");
  const output = files.length === 0 ? "" : await shown(code, entry);
  return [
    `### ${code}: ${entry.title}`,
    entry.explanation,
    ...files.flatMap(({ name, text }) => [
      ...(files.length === 1 ? [] : [`\`${name}\`:`]),
      `\`\`\`${languageOf(name)}${name === "main.reeve" ? ` error=${code}` : ""}\n${text.replace(/\n?$/, "\n")}\`\`\``,
    ]),
    ...(output === "" ? [] : [`\`\`\`text\n${output.trimEnd()}\n\`\`\``]),
  ].join("\n\n");
}

const languageOf = (name: string): string => /\.([a-z0-9]+)$/.exec(name)?.[1] ?? "text";
const isReadable = (name: string): boolean => /\.(reeve|json|js|txt)$/.test(name);
