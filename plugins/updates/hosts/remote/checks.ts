/** What a code host reports about a commit, and what that means for a merge. Pure, apart from `confirmedChecks`. */
import { isDeepStrictEqual } from "node:util";
import { RE2JS } from "re2js";
import { type CheckState, type CheckSum, type HostChecks, sumOf } from "../contract.js";

export interface CheckReport {
  readonly name: string;
  /** Distinct for each report of the host: a repeated check is another report. */
  readonly id: string;
  readonly state: CheckState;
  /** The app that reported it, where the host says so. */
  readonly app?: number;
  /** The host's own configuration allows it to fail. */
  readonly optional?: boolean;
}

/** A check that the rules of the base branch require. */
export interface RequiredCheck {
  readonly name: string;
  /** Only this app's reports count. */
  readonly app?: number;
  /** The name is a glob: `*`, `?`, `[a-z]`, `{a,b}`. */
  readonly isPattern?: boolean;
}

export interface CheckReading {
  readonly reports: readonly CheckReport[];
  readonly required: readonly RequiredCheck[];
  /** Why the reports may be incomplete: one sentence. */
  readonly unknown?: string;
}

/** A required check without a report is pending. Without required checks all count that the host does not call optional. */
function checksIn({ reports, required, unknown }: CheckReading): HostChecks {
  if (unknown !== undefined) {
    const pending = { state: "pending", why: unknown } as const;
    return { all: pending, required: pending };
  }
  const isRequired = (report: CheckReport): boolean =>
    required.some((wanted) => isReportOf(report, wanted));
  const absent = required.filter((wanted) => !reports.some((each) => isReportOf(each, wanted)));
  const counted =
    required.length === 0
      ? reports.filter(({ optional }) => !optional)
      : reports.filter(isRequired);
  return { all: sum(reports, absent), required: sum(counted, absent) };
}

function isReportOf(report: CheckReport, { name, app, isPattern }: RequiredCheck): boolean {
  if (app !== undefined && report.app !== app) return false;
  return isPattern ? matchesGlob(name, report.name) : report.name === name;
}

function sum(reports: readonly CheckReport[], absent: readonly RequiredCheck[]): CheckSum {
  const state = sumOf([
    ...reports.map((each) => each.state),
    ...absent.map(() => "pending" as const),
  ]);
  const [first] = reports.filter((each) => each.state === state);
  if (state === "failed")
    return { state, why: `A check of the code host failed: ${shown(first)}.` };
  if (state !== "pending") return { state };
  if (first) return { state, why: `Its checks are still pending: ${shown(first)}.` };
  return { state, why: `The required check ${shown(absent[0])} is not reported yet.` };
}

const shown = (check: { readonly name: string } | undefined): string =>
  (check?.name ?? "").replace(/\p{Cc}/gu, " ").slice(0, 100);

/** Globs of Gitea; `*` matches slashes too. A pattern that cannot be read matches only itself. */
function matchesGlob(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  let depth = 0;
  const source = pattern.replace(/\[!?[^\]]*\]|[\s\S]/g, (part) => {
    if (part.length > 1) return part.replace(/^\[!/, "[^").replaceAll("\\", "\\\\");
    if (part === "*") return "[\\s\\S]*";
    if (part === "?") return "[\\s\\S]";
    if (part === "{") depth += 1;
    if (part === "{") return "(?:";
    if (part === "}" && depth > 0) {
      depth -= 1;
      return ")";
    }
    if (part === "," && depth > 0) return "|";
    return part.replace(/[\\^$.|?*+()[\]{}]/, "\\$&");
  });
  try {
    return RE2JS.compile(source).matches(name);
  } catch {
    return false;
  }
}

/**
 * A reading takes several requests, and checks change in between. Only two equal readings show a state that the host had; `again`
 * uses no stored responses. A state that prevents the merge needs no confirmation.
 */
export async function confirmedChecks(
  read: () => Promise<CheckReading>,
  again: () => Promise<CheckReading>,
): Promise<HostChecks> {
  const first = await read();
  const checks = checksIn(first);
  if (["failed", "pending"].includes(checks.required.state)) return checks;
  const second = await again();
  if (isDeepStrictEqual(second, first)) return checks;
  const unknown = "Its checks are still pending: they changed while they were read.";
  return checksIn({ ...second, unknown });
}
