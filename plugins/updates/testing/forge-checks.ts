/** The checks of one commit on a simulated code host, in pages, in the shapes of all three APIs. */

export type ForgeKind = "github" | "gitea" | "gitlab";

export interface SimulatedReport {
  /** Rises with every report. */
  readonly id: number;
  readonly name: string;
  /** Only GitHub has check runs; elsewhere every report is a status. */
  readonly via: "status" | "run";
  state: "success" | "failure" | "pending";
  readonly app?: number;
  /** May fail, as GitLab calls it. */
  readonly optional?: boolean;
}

export interface SimulatedChecks {
  /** In the order of the host's list. Gitea keeps replaced reports. */
  reports: SimulatedReport[];
  required: { readonly name: string; readonly app?: number }[];
  /** Of rules instead of the branch's protection, on GitHub. */
  readonly byRules: boolean;
  mostPerPage: number;
  /** Of every pull request, oldest first; GitLab has none. */
  readonly reviews?: { readonly login: string; readonly state: string }[];
}

export interface SimulatedPage {
  readonly body: unknown;
  /** The path of the next page. */
  readonly next?: string;
}

/** `check` is the state of one further report. `undefined` for paths that are no list of checks. */
export function checkPage(
  kind: ForgeKind,
  {
    checks: own,
    check,
  }: { readonly checks: SimulatedChecks; readonly check?: SimulatedReport["state"] | undefined },
  path: string,
  query: URLSearchParams,
): SimulatedPage | undefined {
  const build = check && ({ id: 0, name: "build", via: "status", state: check } as const);
  const checks = build ? { ...own, reports: [build, ...own.reports] } : own;
  const [, list] =
    /\/commits\/[0-9a-f]+\/(status|statuses|check-runs|check-suites)$/.exec(path) ?? [];
  if (list !== undefined) return pageOf(itemsOf(kind, checks, list), list, path, query, checks);
  if (/\/pulls\/\d+\/reviews$/.test(path)) {
    const reviews = (checks.reviews ?? []).map(({ login, state }, id) => ({
      id,
      user: { login },
      state,
    }));
    return pageOf(reviews, "reviews", path, query, checks);
  }
  if (kind !== "github" || !/\/rules\/branches\/[^/]+$/.test(path)) return undefined;
  const rules = checks.required.map(({ name, app }) => ({
    type: "required_status_checks",
    parameters: {
      required_status_checks: [
        { context: name, ...(app === undefined ? {} : { integration_id: app }) },
      ],
    },
  }));
  return pageOf(checks.byRules ? rules : [], "rules", path, query, checks);
}

/** What a branch says of its protection. */
export function protectionOf(kind: ForgeKind, { required, byRules }: SimulatedChecks): object {
  const contexts = required.map(({ name }) => name);
  if (kind === "gitea")
    return { enable_status_check: required.length > 0, status_check_contexts: contexts };
  if (kind === "gitlab" || byRules) return {};
  const checks = required.map(({ name, app }) => ({ context: name, app_id: app ?? null }));
  return {
    protection: { required_status_checks: { enforcement_level: "everyone", contexts, checks } },
  };
}

function itemsOf(kind: ForgeKind, { reports }: SimulatedChecks, list: string): readonly object[] {
  if (kind === "gitlab")
    return reports.map(({ id, name, state, optional = false }) => ({
      ...{ id, name, allow_failure: optional, ref: "update", pipeline_id: 1 },
      status: { success: "success", failure: "failed", pending: "running" }[state],
    }));
  if (kind === "gitea")
    return reports.map(({ id, name, state }) => ({ id, context: name, status: state }));
  if (list === "check-suites") return [];
  if (list === "check-runs")
    return reports
      .filter(({ via }) => via === "run")
      .map(({ id, name, state, app = 1 }) => ({
        ...{ id, name, app: { id: app } },
        ...(state === "pending"
          ? { status: "in_progress", conclusion: null }
          : { status: "completed", conclusion: state }),
      }));
  return reports
    .filter(({ via }) => via === "status")
    .map(({ id, name, state }) => ({ id, context: name, state }));
}

function pageOf(
  items: readonly object[],
  list: string,
  path: string,
  query: URLSearchParams,
  { mostPerPage }: SimulatedChecks,
): SimulatedPage {
  const wanted = Number(query.get("per_page") ?? query.get("limit") ?? 20);
  const size = Math.min(wanted, mostPerPage);
  const page = Number(query.get("page") ?? 1);
  const part = items.slice((page - 1) * size, page * size);
  const following = new URLSearchParams({ ...Object.fromEntries(query), page: String(page + 1) });
  const field = { status: "statuses", "check-runs": "check_runs", "check-suites": "check_suites" }[
    list
  ];
  return {
    body: field === undefined ? part : { total_count: items.length, [field]: part },
    ...(page * size < items.length ? { next: `${path}?${following}` } : {}),
  };
}
