/** Badges for web pages: a repository's state, and how often checks passed with an update. */
import { packageManager } from "../managers/index.js";
import type { Ports } from "../pipeline/ports.js";
import { hostRepoOf } from "../store/repos.js";
import { type ApiRequest, callerOf, invalidParameter, parameter, tokenOf } from "./request.js";

export interface Badge {
  readonly label: string;
  readonly status: string;
  readonly colour: "brightgreen" | "yellow" | "lightgrey" | "red";
}

const unknown = (label: string): Badge => ({ label, status: "unknown", colour: "lightgrey" });

/** Callers without access get "unknown" for a private repository. */
export async function statusBadge(
  ports: Pick<Ports, "access" | "configs" | "directory" | "host" | "pulls">,
  request: ApiRequest,
): Promise<Badge> {
  const label = "updates";
  const [login, name] = (parameter(request, "repo") ?? "").split("/");
  if (!login || !name) throw invalidParameter("repo", "The parameter repo must be account/name.");
  const repo = await ports.directory.named(ports.host, login, name);
  if (!repo) return unknown(label);
  if (repo.private === 1) {
    if (tokenOf(request.headers.authorization) === undefined) return unknown(label);
    const caller = await callerOf(ports, request);
    if (!(await ports.access.may(ports.host, caller, hostRepoOf(repo), "read"))) {
      return unknown(label);
    }
  }
  const configs = await ports.configs.ofRepo(repo.id);
  if (configs.length === 0) return { label, status: "off", colour: "lightgrey" };
  if (configs.some(({ trouble: indexError }) => indexError !== null)) {
    return { label, status: "in trouble", colour: "red" };
  }
  const open = await ports.pulls.list({ repoId: repo.id, state: "open" });
  return open.length === 0
    ? { label, status: "up to date", colour: "brightgreen" }
    : { label, status: `${open.length} open`, colour: "yellow" };
}

/** Counts the repositories whose checks passed with the same update. */
export async function compatibilityBadge(
  ports: Pick<Ports, "pulls">,
  request: ApiRequest,
): Promise<Badge> {
  const label = "compatibility";
  const name = parameter(request, "dependency-name");
  const manager = packageManager(parameter(request, "package-manager") ?? "");
  if (name === undefined) {
    throw invalidParameter("dependency-name", "The parameter dependency-name is required.");
  }
  if (!manager) {
    throw invalidParameter(
      "package-manager",
      "The parameter package-manager names no package manager.",
    );
  }
  const { passed, all } = await ports.pulls.checked(
    manager,
    name,
    parameter(request, "previous-version"),
    parameter(request, "new-version"),
  );
  if (all === 0) return unknown(label);
  const share = Math.round((passed / all) * 100);
  return {
    label,
    status: `${share}%`,
    colour: share >= 90 ? "brightgreen" : share >= 60 ? "yellow" : "red",
  };
}

const colours: Readonly<Record<Badge["colour"], string>> = {
  brightgreen: "#4c1",
  yellow: "#dfb317",
  lightgrey: "#9f9f9f",
  red: "#e05d44",
};

/** A self-contained image: it loads no font and nothing from other hosts. */
export function imageOf({ label, status, colour }: Badge): string {
  const width = (text: string): number => Math.round(text.length * 6.6) + 10;
  const [left, right] = [width(label), width(status)];
  const text = (x: number, content: string): string =>
    `<text x="${x}" y="14" text-anchor="middle">${content}</text>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${status}">`,
    `<rect width="${left}" height="20" fill="#555"/>`,
    `<rect x="${left}" width="${right}" height="20" fill="${colours[colour]}"/>`,
    '<g fill="#fff" font-family="Verdana,Geneva,sans-serif" font-size="11">',
    text(left / 2, label),
    text(left + right / 2, status),
    "</g></svg>",
  ].join("");
}
