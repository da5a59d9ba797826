/** What a clause of PEP 440 allows. */
import { compareVersions, isEarly, readPythonVersion } from "./versions.js";

const SPECIFIER = /^(===|==|~=|!=|<=|>=|<|>)(.+?)(\.\*)?$/;

export function allowsPython(version: string, specifier: string): boolean {
  const [, sign, bound = "", star] = SPECIFIER.exec(specifier) ?? [];
  // Where the clause has no local part, that of the version does not count.
  const mine = bound.includes("+") ? version : version.replace(/\+.*$/, "");
  const order = compareVersions(mine, bound);
  const prefix = (length: number): boolean => startsWith(mine, bound, length);
  switch (sign) {
    case "===":
      return version.toLowerCase() === bound.toLowerCase();
    case "==":
      return star === undefined ? order === 0 : prefix(parts(bound).length);
    case "!=":
      return star === undefined ? order !== 0 : !prefix(parts(bound).length);
    case "~=":
      return order >= 0 && prefix(parts(bound).length - 1);
    case ">=":
      return order >= 0;
    case "<=":
      return order <= 0;
    case "<":
      return order < 0 && (isEarly(bound) || !isEarly(mine) || !sameBase(mine, bound));
    default:
      return order > 0 && (isPost(bound) || !isPost(mine) || !sameBase(mine, bound));
  }
}

const parts = (version: string): readonly number[] => readPythonVersion(version)?.release ?? [];
const isPost = (version: string): boolean => Boolean(readPythonVersion(version)?.post);

const sameBase = (a: string, b: string): boolean =>
  startsWith(a, b, Math.max(parts(a).length, parts(b).length));

/** The same epoch, and the same first numbers of the release; missing ones are 0. */
function startsWith(version: string, bound: string, length: number): boolean {
  const [mine, theirs] = [readPythonVersion(version), readPythonVersion(bound)];
  if (!mine || !theirs || mine.epoch !== theirs.epoch) return false;
  return Array.from({ length }, (_, position) => position).every(
    (position) => (mine.release[position] ?? 0) === (theirs.release[position] ?? 0),
  );
}
