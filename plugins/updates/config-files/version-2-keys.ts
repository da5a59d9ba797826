/** What in a version 2 file has no effect: each key and value is either used or named in a fault. */
import { listIn, mappingIn, mappingsIn, stringIn, type YamlMapping } from "./values.js";
import { mergeRules } from "./version-2.js";

/** The keys that count, by the path of their mapping; `*` is any name or index. */
const used: Readonly<Record<string, readonly string[]>> = {
  "": ["version", "updates"],
  updates: [
    ...[
      "allow",
      "automerge",
      "commit-message",
      "cooldown",
      "directories",
      "directory",
      "groups",
      "ignore",
    ],
    ...["labels", "open-pull-requests-limit", "package-ecosystem", "pull-request-branch-name"],
    ...["rebase-strategy", "schedule", "target-branch", "versioning-strategy"],
  ],
  "updates.allow.*": ["dependency-name", "dependency-type"],
  "updates.automerge.*": ["dependency-name", "dependency-type", "update-type"],
  "updates.commit-message": ["prefix", "prefix-development", "include"],
  "updates.cooldown": [
    ...["default-days", "semver-major-days", "semver-minor-days", "semver-patch-days"],
    ...["include", "exclude"],
  ],
  "updates.groups.*": [
    ...["applies-to", "dependency-type", "exclude-patterns", "patterns", "update-types"],
  ],
  "updates.ignore.*": ["dependency-name", "update-types", "versions"],
  "updates.pull-request-branch-name": ["separator"],
  "updates.schedule": ["cronjob", "day", "interval", "time", "timezone"],
};

/** Keys of the format that have no effect here, and why. */
const unused: Readonly<Record<string, string>> = {
  assignees: "pull requests get no assignees",
  "enable-beta-ecosystems": "every supported package manager is enabled",
  "exclude-paths": "all manifests of the directory count",
  "group-by": "a group has its updates in one pull request for each directory",
  "insecure-external-code-execution": "`unsafe_managers` in the daemon's configuration decides",
  milestone: "pull requests get no milestone",
  "multi-ecosystem-group": "each package manager has its own pull requests",
  "multi-ecosystem-groups": "each package manager has its own pull requests",
  patterns: "each package manager has its own pull requests",
  reviewers: "the format no longer has it; use a CODEOWNERS file",
  "update-types": "every kind of update is allowed",
  vendor: "vendored files are reported as stale",
};

const words: Readonly<Record<string, readonly string[]>> = {
  "commit-message.include": ["scope"],
  "pull-request-branch-name.separator": ["/", "-", "_"],
  "rebase-strategy": ["auto", "disabled"],
  "schedule.day": [
    ...["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
  ],
  "versioning-strategy": ["auto", "increase", "increase-if-necessary", "lockfile-only", "widen"],
};

export const fileFaults = (file: YamlMapping): readonly string[] => [
  ...unusedKeys(file, ""),
  ...("registries" in file ? [registries] : []),
];

export const registries = "registries are set in the daemon's configuration, not in this file.";

export function entryFaults(entry: YamlMapping): readonly string[] {
  const wrong = Object.entries(words).flatMap(([path, allowed]) => {
    const value = path.split(".").reduce<unknown>((node, key) => mappingIn(node)?.[key], entry);
    if (value === undefined || allowed.includes(stringIn(value) ?? "")) return [];
    return [`${path} must be one of ${allowed.join(", ")}, not ${String(stringIn(value))}.`];
  });
  for (const { "update-type": rule } of mappingsIn(entry.automerge))
    if (!mergeRules.includes(stringIn(rule) ?? ""))
      wrong.push(
        `automerge.update-type must be one of ${mergeRules.join(", ")}, not ${String(stringIn(rule))}.`,
      );
  const { time } = mappingIn(entry.schedule) ?? {};
  if (time !== undefined && !/^([01]?\d|2[0-3]):[0-5]\d$/.test(stringIn(time) ?? ""))
    wrong.push(`schedule.time must be a time such as "05:30", not ${String(stringIn(time))}.`);
  return [...unusedKeys(entry, "updates"), ...wrong];
}

function unusedKeys(mapping: YamlMapping, path: string): readonly string[] {
  const shown = path.replace(/^updates\.?/, "").replace(/\.\*/g, "");
  const prefix = shown === "" ? "" : `${shown}: `;
  const known = used[path] ?? [];
  return Object.entries(mapping).flatMap(([key, value]) => {
    // The daemon's own text is more exact.
    if (key === "registries") return [];
    const why = unused[key];
    if (!known.includes(key))
      return [
        why === undefined || (path !== "updates" && key === "patterns")
          ? `${prefix}${key} is no key of version 2.`
          : `${prefix}${key} has no effect: ${why}.`,
      ];
    return inside(value, path === "" ? key : `${path}.${key}`);
  });
}

/** The mappings below a key whose keys are known. */
function inside(value: unknown, path: string): readonly string[] {
  if (path === "updates") return [];
  const mapping = mappingIn(value);
  if (used[path] && mapping) return unusedKeys(mapping, path);
  if (!used[`${path}.*`]) return [];
  const items = mapping ? Object.values(mapping) : listIn(value);
  return items.flatMap((item) => unusedKeys(mappingIn(item) ?? {}, `${path}.*`));
}
