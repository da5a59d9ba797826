/** The fields of an update config in requests. */
import { packageManager } from "../managers/index.js";
import type { ConfigExtras } from "../store/configs.js";
import type { ConfigChange } from "../store/tables.js";
import {
  type FieldReader,
  flagField,
  idField,
  nullable,
  oneOfField,
  type ParsedFields,
  textField,
  textsField,
  whole,
} from "./body.js";

export const SCHEDULES = ["live", "daily", "weekly", "monthly"] as const;
export const RULES = [
  ...["never", "security:patch", "semver:patch", "semver:minor", "in_range", "all"],
] as const;

/** Spellings from before `security:` and `semver:`. */
const olderRules = {
  security: "security:patch",
  patch: "semver:patch",
  minor: "semver:minor",
} as const;

/** The manager, and the spelling that the request used. */
const manager: FieldReader<{ readonly id: string; readonly spelling: string }> = (sent) => {
  const known = typeof sent === "string" ? packageManager(sent) : undefined;
  return known && typeof sent === "string"
    ? { value: { id: known, spelling: sent === "github_actions" ? sent : known } }
    : { must: "one of the package managers of this interface" };
};

/** `/packages/app`: a leading slash, no trailing slash, no way out of the repository. */
const directory: FieldReader<string> = (sent) => {
  if (
    typeof sent !== "string" ||
    sent.trim() === "" ||
    sent.length > 500 ||
    /[\0\n\r]/.test(sent)
  ) {
    return { must: "a directory such as / or /app" };
  }
  const parts = sent.split("/").filter((part) => part !== "" && part !== ".");
  return parts.includes("..")
    ? { must: "a directory inside the repository" }
    : { value: `/${parts.join("/")}` };
};

const STRATEGIES = [
  ...["lockfile_only", "widen_ranges", "bump_versions", "bump_versions_if_necessary"],
] as const;

const changeable = {
  "update-schedule": { read: oneOfField(SCHEDULES) },
  "target-branch": { read: nullable(textField(200)) },
  "lockfile-only": { read: flagField },
  "security-updates-only": { read: flagField },
  "automerge-rule-development-deps": { read: oneOfField(RULES, olderRules) },
  "automerge-rule-runtime-deps": { read: oneOfField(RULES, olderRules) },
  "update-subdependencies": { read: flagField },
  "requirements-update-strategy": { read: nullable(oneOfField(STRATEGIES)) },
  "automerge-whitelist": { read: textsField },
  "open-pull-requests-limit": { read: whole(0, 1000) },
} as const;

export const createFields = {
  ...changeable,
  "repo-id": { read: idField, required: true },
  "account-id": { read: idField, required: true },
  "account-type": { read: oneOfField(["org", "user"]), required: true },
  directory: { read: directory, required: true },
  "update-schedule": { read: oneOfField(SCHEDULES), required: true },
  "package-manager": { read: manager, required: true },
} as const;

export const changeFields = changeable;

/** Response fields that requests cannot set. */
export const readOnly = ["id", "type", "language", "last-run-at", "next-run-at", "trouble"];

export type Created = ParsedFields<typeof createFields>;
export type Changed = ParsedFields<typeof changeFields>;

/** The columns that a request sets; all others keep their values. */
export function columnsOf(sent: Changed, before: ConfigExtras): ConfigChange {
  const columns: ConfigChange = {};
  if (sent["update-schedule"] !== undefined) columns.update_schedule = sent["update-schedule"];
  if (sent["target-branch"] !== undefined) columns.target_branch = sent["target-branch"] ?? "";
  if (sent["lockfile-only"] !== undefined) columns.lockfile_only = Number(sent["lockfile-only"]);
  if (sent["security-updates-only"] !== undefined) {
    columns.security_updates_only = Number(sent["security-updates-only"]);
  }
  const development = sent["automerge-rule-development-deps"];
  if (development !== undefined) columns.automerge_development = development;
  const runtime = sent["automerge-rule-runtime-deps"];
  if (runtime !== undefined) columns.automerge_runtime = runtime;
  const extras = extrasIn(sent);
  if (Object.keys(extras).length > 0) columns.extras = JSON.stringify({ ...before, ...extras });
  return columns;
}

function extrasIn(sent: Changed): ConfigExtras {
  const subdependencies = sent["update-subdependencies"];
  const strategy = sent["requirements-update-strategy"];
  const whitelist = sent["automerge-whitelist"];
  const limit = sent["open-pull-requests-limit"];
  return {
    ...(subdependencies === undefined ? {} : { updateSubdependencies: subdependencies }),
    ...(strategy === undefined ? {} : { requirementsUpdateStrategy: strategy }),
    ...(whitelist === undefined ? {} : { automergeWhitelist: whitelist }),
    ...(limit === undefined ? {} : { openPullRequestsLimit: limit }),
  };
}
