/** Versions as PEP 440 orders them, requirements as pip and as Poetry read them. */
import type { Versioning } from "../contract.js";
import { allowsPython } from "./specifier.js";
import { compareVersions as compare, isEarly, readPythonVersion } from "./versions.js";

const MOST = 20_000;

const pad = (release: readonly number[]): readonly [number, number, number] => [
  release[0] ?? 0,
  release[1] ?? 0,
  release[2] ?? 0,
];

/** `>=1.2`, `==1.*`, `~=1.4`, and of Poetry `^1.2`, `~1.2`, `1.2.*`, `1.2.3`. */
const CLAUSE = /^(===|==|~=|!=|<=|>=|<|>|\^|~|=)?\s*((?:\d+!)?[^\s,;|<>=!~^]+)$/;

/** Alternatives of clauses in the words of PEP 440; undefined for what neither pip nor Poetry would read. */
function alternatives(requirement: string): readonly (readonly string[])[] | undefined {
  const known = meanings.get(requirement);
  if (known !== undefined) return known ?? undefined;
  if (meanings.size >= MOST) meanings.clear();
  const each = requirement.split(/\|\|?/).map((text) => clauses(text));
  const meant = each.every((one) => one !== undefined) ? each : undefined;
  meanings.set(requirement, meant ?? null);
  return meant;
}
const meanings = new Map<string, readonly (readonly string[])[] | null>();

function clauses(text: string): readonly string[] | undefined {
  // Poetry takes a space for "and", too.
  const joined = text.replace(/([<>=!~^])\s+/g, "$1").replace(/^\s*\(|\)\s*$/g, "");
  const parts = joined.split(/[\s,]+/).filter((part) => part !== "");
  const meant = parts.map(clause);
  return meant.some((one) => one === undefined) ? undefined : meant.flatMap((one) => one ?? []);
}

function clause(text: string): readonly string[] | undefined {
  const [, sign = "", version = ""] = CLAUSE.exec(text) ?? [];
  if (text === "*") return [];
  if (version === "") return undefined;
  const base = version.replace(/\.\*$/, "");
  const parsed = readPythonVersion(base);
  if (sign === "===") return [`===${version}`];
  if (!parsed) return undefined;
  if (version.endsWith(".*"))
    return ["", "=", "==", "!="].includes(sign)
      ? [`${sign === "!=" ? "!=" : "=="}${version}`]
      : undefined;
  if (sign === "^" || sign === "~") return [`>=${version}`, `<${above(parsed.release, sign)}`];
  if (sign === "~=" && parsed.release.length < 2) return undefined;
  return [`${sign === "" || sign === "=" ? "==" : sign}${version}`];
}

/** Where a caret or a tilde of Poetry ends. */
function above(release: readonly number[], sign: "^" | "~"): string {
  const first = release.findIndex((number) => number !== 0);
  const caret = first < 0 ? release.length - 1 : first;
  const position = sign === "^" ? caret : Math.min(1, release.length - 1);
  return release
    .slice(0, position + 1)
    .map((number, index) => (index === position ? number + 1 : number))
    .join(".");
}

function satisfies(version: string, requirement: string): boolean {
  const parsed = readPythonVersion(version);
  if (!parsed) return false;
  const early = isEarly(version);
  return (
    alternatives(requirement)?.some((specifiers) => {
      // A prerelease is taken only where the requirement names one.
      const named = early && specifiers.some((text) => isEarly(text.replace(/^(===?|[<>~]=)/, "")));
      if (early && !named) return false;
      return specifiers.every((specifier) => allowsPython(version, specifier));
    }) ?? false
  );
}

function floor(requirement: string): string | undefined {
  const lowest = alternatives(requirement)?.map((specifiers) =>
    specifiers
      .map((text) => /^(?:>=|===?|~=|>)(.+?)(?:\.\*)?$/.exec(text)?.[1])
      .filter((version) => version !== undefined && readPythonVersion(version) !== null)
      .map(String)
      .toSorted(compare)
      .at(-1),
  );
  if (!lowest || lowest.includes(undefined)) return undefined;
  return lowest.map(String).toSorted(compare)[0];
}

export const isPythonRequirement = (text: string): boolean => alternatives(text) !== undefined;

export const pipVersioning: Versioning = {
  isVersion: (text) => readPythonVersion(text) !== null,
  compare,
  isPrerelease: isEarly,
  numbers: (version) => {
    const parsed = readPythonVersion(version);
    return parsed && parsed.epoch === 0 && parsed.release.length <= 3
      ? pad(parsed.release)
      : undefined;
  },
  satisfies,
  floor,
};
