/** Branch names, titles and commit messages, by common conventions. */
import { createHash } from "node:crypto";
import type { Update } from "../../decide/contract.js";
import { managers, type PackageManager } from "../../managers/index.js";
import { extrasOf } from "../../store/configs.js";
import type { Config } from "../../store/tables.js";
import { sentenceOf } from "./body.js";
import type { Proposal } from "./proposals.js";

export const languageOf = (packageManager: string): string =>
  managers[packageManager as PackageManager].language;

export interface Prefix {
  /** Precedes the title: `build(deps): `. May be empty. */
  readonly text: string;
  /** Whether the title starts in lower case. */
  readonly small: boolean;
}

const shortCommit = (version: string): string =>
  /^[0-9a-f]{40}$/.test(version) ? version.slice(0, 7) : version;

/** `dependabot/npm_and_yarn/app/left-foo-2.0.3`. */
export const branchOf = (config: Config, proposal: Proposal): string =>
  branchNamed(config, lastPart(config, proposal));

/** Whether a config of this project would use this branch for these dependencies, in some version. */
export function isBranchOf(config: Config, branch: string, names: readonly string[]): boolean {
  const own = [...new Set(names)].sort().join("-and-");
  if (own !== "" && branch.startsWith(branchNamed(config, `${own}-`))) return true;
  // Those of groups end with a digest.
  const prefix = branchNamed(config, "x").slice(0, -1);
  return branch.startsWith(prefix) && /^[^/]+-[0-9a-f]{10}$/.test(branch.slice(prefix.length));
}

function branchNamed(config: Config, last: string): string {
  const directory = config.directory.replace(/^\//, "");
  const parts = [
    "dependabot",
    config.package_manager === "host_actions" ? "github_actions" : config.package_manager,
    ...(directory === "" ? [] : [directory]),
    ...(config.target_branch === "" ? [] : [config.target_branch]),
    last,
  ];
  const name = sanitized(parts.join("/"));
  const { branchSeparator } = extrasOf(config);
  return branchSeparator === undefined ? name : name.replaceAll("/", branchSeparator);
}

function lastPart(config: Config, { group, security, updates, names }: Proposal): string {
  const digest = (): string => {
    const list = updates.map(({ change, to }) => `${change.dependency.name}-${to}`).sort();
    return createHash("md5").update(list.join("|")).digest("hex").slice(0, 10);
  };
  if (group !== undefined) return `${group}-${digest()}`;
  if (security && names.length > 2) return `group-security-${config.package_manager}-${digest()}`;
  const [first] = updates;
  const required = names.length === 1 ? requirementMoved(first) : undefined;
  const version = required ? spelledOut(required.to) : shortCommit(first?.to ?? "");
  return `${names.join("-and-")}-${version}`;
}

/** Without a locked or pinned version, only the requirement moves. */
function requirementMoved(
  update: Update | undefined,
): { readonly from: string; readonly to: string } | undefined {
  if (!update || update.change.dependency.current !== undefined) return undefined;
  const { dependency, requirements } = update.change;
  const moved = dependency.declarations.findIndex(
    ({ requirement }, index) => requirement !== requirements[index],
  );
  const [from, to] = [dependency.declarations[moved]?.requirement, requirements[moved]];
  // A commit is not readable as a requirement.
  return from === undefined || to === undefined || /^[0-9a-f]{40}/.test(from)
    ? undefined
    : { from, to };
}

const SIGNS: ReadonlyArray<readonly [sign: string, word: string]> = [
  ["!=", "neq-"],
  [">=", "gte-"],
  ["<=", "lte-"],
  ["~>", "tw-"],
  ["~=", "tw-"],
  ["^", "tw-"],
  ["||", "or-"],
  ["~", "approx-"],
  ["==", "eq-"],
  ["=", "eq-"],
  [">", "gt-"],
  ["<", "lt-"],
  ["*", "star"],
  [",", "-and-"],
];

/** `>=1.0, <3` becomes `gte-1.0-and-lt-3` in a branch name. */
const spelledOut = (requirement: string): string =>
  SIGNS.reduce((text, [sign, word]) => text.replaceAll(sign, word), requirement.replace(/\s/g, ""));

/** Removes what git does not allow in a branch name. */
function sanitized(name: string): string {
  return name
    .replaceAll("@", "")
    .replace(/[:[\]]/g, "-")
    .replace(/\/\./g, "/dot-")
    .replace(/\.\.+/g, ".")
    .replace(/[^A-Za-z0-9/._+-]/g, "")
    .replace(/\/{2,}/g, "/")
    .replace(/\.lock(?=\/|$)/g, "-lock")
    .replace(/[/.]+$/, "")
    .slice(0, 200);
}

export function titleOf(config: Config, proposal: Proposal, prefix: Prefix): string {
  const { updates, group, names, security } = proposal;
  const where = config.directory === "/" ? "" : ` in ${config.directory}`;
  const [first] = updates;
  const text = ((): string => {
    if (group !== undefined) {
      const count = updates.length;
      return `Bump the ${group} group${where} with ${count} update${count === 1 ? "" : "s"}`;
    }
    if (names.length > 1) return `Bump ${listed(names)}${where}`;
    if (!first) return "Bump dependencies";
    const required = requirementMoved(first);
    if (required)
      return `Update ${names[0]} requirement from ${required.from} to ${required.to}${where}`;
    const from = first.from === undefined ? "" : ` from ${shortCommit(first.from)}`;
    return `Bump ${names[0]}${from} to ${shortCommit(first.to)}${where}`;
  })();
  const small = prefix.small ? text.charAt(0).toLowerCase() + text.slice(1) : text;
  return `${prefix.text}${security && prefix.text === "" ? "[Security] " : ""}${small}`;
}

const listed = (names: readonly string[]): string =>
  names.length < 3
    ? names.join(" and ")
    : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;

/** Ends with a block for tools that lists the updates. */
export function messageOf(config: Config, proposal: Proposal, title: string): string {
  const subject = title.length <= 72 ? title : title.replace(/ from \S+(?= to )/, "");
  const entries = proposal.updates.flatMap(({ change, to, semver }) => [
    `- dependency-name: ${yamlText(change.dependency.name)}`,
    `  dependency-version: ${yamlText(to)}`,
    `  dependency-type: ${typeOf(change.dependency)}`,
    ...(semver === undefined ? [] : [`  update-type: version-update:semver-${semver}`]),
    ...(proposal.group === undefined ? [] : [`  dependency-group: ${yamlText(proposal.group)}`]),
  ]);
  const intro = proposal.updates.map(sentenceOf).join("\n");
  const file = `Language: ${languageOf(config.package_manager)}`;
  return `${subject}\n\n${intro}\n\n---\nupdated-dependencies:\n${entries.join("\n")}\n...\n\n${file}\n`;
}

function typeOf({ declarations, development }: Update["change"]["dependency"]): string {
  if (declarations.length === 0) return "indirect";
  return development ? "direct:development" : "direct:production";
}

/** Quotes what YAML would not read as a string. */
const yamlText = (text: string): string =>
  /^[A-Za-z][A-Za-z0-9._/-]*$/.test(text) ? text : JSON.stringify(text);

/** Follows the style of the branch's recent commits. */
export function titlePrefix(
  subjects: readonly string[],
  own: { readonly prefix?: string; readonly scope?: boolean },
  development: boolean,
): Prefix {
  if (own.prefix !== undefined) {
    const scope = own.scope ? `(${development ? "deps-dev" : "deps"})` : "";
    const end = /[A-Za-z0-9)\]]$/.test(own.prefix) ? ": " : " ";
    return {
      text: own.prefix === "" ? "" : `${own.prefix}${scope}${end}`,
      small: own.prefix !== "",
    };
  }
  const conventional = subjects.filter((each) =>
    /^(build|chore|feat|fix|docs|ci|test|refactor|perf|style)(\([^)]*\))?!?: /.test(each),
  );
  if (subjects.length > 0 && conventional.length * 2 > subjects.length) {
    const kind = conventional.some((each) => each.startsWith("build")) ? "build" : "chore";
    return { text: `${kind}(${development ? "deps-dev" : "deps"}): `, small: true };
  }
  const eslint = subjects.filter((each) =>
    /^(Fix|Update|New|Breaking|Docs|Build|Upgrade|Chore): /.test(each),
  );
  if (subjects.length > 0 && eslint.length * 2 > subjects.length)
    return { text: "Upgrade: ", small: false };
  if (
    subjects.filter((each) => /^(:[a-z_]+:|\p{Extended_Pictographic})/u.test(each)).length * 2 >
    subjects.length
  ) {
    return { text: "⬆️ ", small: false };
  }
  return { text: "", small: false };
}
