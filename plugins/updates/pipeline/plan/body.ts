/** The body of a pull request: updates, release notes, results elsewhere, commands. */
import type { Update } from "../../decide/contract.js";
import type { Release } from "../../managers/contract.js";
import type { ReleaseNotes } from "../release-notes/contract.js";
import type { Proposal } from "./proposals.js";

/** The maximum of the code hosts. */
const longestBody = 65_000;
/** The maximum of one section of release notes. */
const longestPart = 10_000;

export interface BodyOptions {
  /** What is wrong with the lock file. */
  readonly note?: string | undefined;
  /** By name of the dependency. */
  readonly releaseNotes?: ReadonlyMap<string, ReleaseNotes>;
  /** Check results of the same update in other repositories, by dependency. */
  readonly elsewhere?: ReadonlyMap<string, { readonly passed: number; readonly all: number }>;
  /** The host delivers comments, so commands work. */
  readonly commands?: boolean;
}

export function bodyOf(proposal: Proposal, options: BodyOptions): string {
  const { note, releaseNotes: notesByName = new Map(), commands = false } = options;
  const { updates, security } = proposal;
  const lines = updates.map(sentenceOf);
  const fixes = updates
    .flatMap(({ fixes }) => fixes)
    .map(({ id, summary }) => `- ${id}: ${quiet(summary)}`);
  const parts = [
    ...(updates.length > 1 ? tableOf(updates) : lines),
    ...(security ? ["", "This update includes a security fix.", "", ...new Set(fixes)] : []),
    ...updates.flatMap(({ runtime }) => (runtime === undefined ? [] : ["", quiet(runtime)])),
    ...(note === undefined ? [] : ["", `**Lock file:** ${note}`]),
    ...updates.flatMap(({ change }) => {
      const { name } = change.dependency;
      const notes = notesByName.get(name);
      return notes ? notesSection(notes, updates.length > 1 ? `${quiet(name)}: ` : "") : [];
    }),
    ...compatibility(updates, options),
    ...(commands ? COMMANDS : []),
  ];
  const end = "\n\nClosing this pull request ignores these versions; newer ones are still offered.";
  const body = parts.join("\n").trim();
  if (body.length + end.length <= longestBody) return body + end;
  // Cut outside an open element, so the text after it stays visible.
  const cut = body.slice(0, longestBody - end.length - 20);
  const isOpen = cut.lastIndexOf("<details>") > cut.lastIndexOf("</details>");
  return `${cut}…${isOpen ? "\n\n</details>" : ""}${end}`;
}

export function sentenceOf({ change, from, to, inRange }: Update): string {
  const range = inRange ? " The requirement allowed this version already." : "";
  const start = from === undefined ? "Updates" : "Bumps";
  const released = releaseDate(change.to);
  return `${start} ${quiet(change.dependency.name)}${from === undefined ? "" : ` from ${from}`} to ${to}.${range}${released}`;
}

/** Only where the registry was asked for dates: for a config with a cooldown. */
const releaseDate = ({ published }: Release): string =>
  published === undefined || Number.isNaN(new Date(published).getTime())
    ? ""
    : ` Released on ${new Date(published).toISOString().slice(0, 10)}.`;

const tableOf = (updates: readonly Update[]): readonly string[] => [
  "| Package | From | To |",
  "| --- | --- | --- |",
  ...updates.map(
    ({ change, from, to }) => `| ${quiet(change.dependency.name)} | ${from ?? ""} | ${to} |`,
  ),
];

function notesSection(
  { url, compare, notes, changelog, commits }: ReleaseNotes,
  before: string,
): readonly string[] {
  const list = commits.map(({ sha, subject }) => `- \`${sha.slice(0, 7)}\` ${quiet(subject)}`);
  return [
    ...folded(`${before}release notes`, notes),
    ...folded(`${before}changelog`, changelog),
    ...folded(`${before}commits`, list.length === 0 ? undefined : list.join("\n"), false),
    "",
    before === "" ? `Made in ${url}.` : `${before}made in ${url}.`,
    ...(compare === undefined ? [] : ["", `[Compare the two versions](${compare})`]),
  ];
}

function folded(summary: string, text: string | undefined, isForeign = true): readonly string[] {
  if (text === undefined || text === "") return [];
  const cut = text.length > longestPart ? `${text.slice(0, longestPart)}…` : text;
  const title = summary.charAt(0).toUpperCase() + summary.slice(1);
  const content = isForeign ? harmless(cut) : cut;
  return ["", "<details>", `<summary>${title}</summary>`, "", content, "", "</details>"];
}

function compatibility(
  updates: readonly Update[],
  { elsewhere = new Map() }: BodyOptions,
): readonly string[] {
  const rows = updates.flatMap(({ change }) => {
    const { name } = change.dependency;
    const { passed, all } = elsewhere.get(name) ?? { passed: 0, all: 0 };
    return all === 0 ? [] : [`| ${quiet(name)} | ${passed} of ${all} |`];
  });
  return rows.length === 0
    ? []
    : ["", "| Package | Checks passed in other repositories |", "| --- | --- |", ...rows];
}

const COMMANDS: readonly string[] = [
  "",
  "<details>",
  "<summary>Commands</summary>",
  "",
  "In a comment, by somebody who may push:",
  "",
  "- `@reeve rebase`: make it again on top of the base",
  "- `@reeve recreate`: the same, and drop commits that others have added",
  "- `@reeve merge`: merge it when its checks have passed; `@reeve cancel merge`: do not",
  "- `@reeve close`, `@reeve reopen`",
  "- `@reeve ignore this major version`, `minor version`, `patch version` or `dependency`",
  "- `@reeve unignore`",
  "",
  "</details>",
];

/** Keeps foreign text from mentioning users or linking issues. */
const quiet = (text: string): string =>
  text.replace(/[@#](?=[A-Za-z0-9])/g, (mark) => `${mark}\u200b`).replace(/[\r\n|]+/g, " ");

/** The same for foreign Markdown: it keeps its lines, but cannot close the surrounding element or add HTML. */
const harmless = (text: string): string =>
  text
    .replace(/[@#](?=[A-Za-z0-9])/g, (mark) => `${mark}\u200b`)
    .replace(/<(?=[/!?A-Za-z])/g, "&lt;")
    .replaceAll("\r", "");
