/** What a clause of PEP 440 allows. The library knows the order of versions; of `<` and `>` it does not know all the rules. */
import * as pep440 from "@renovatebot/pep440";

const SPECIFIER = /^(===|==|~=|!=|<=|>=|<|>)(.+?)(\.\*)?$/;

export function allows(version: string, specifier: string): boolean {
  const [, sign, bound = "", star] = SPECIFIER.exec(specifier) ?? [];
  // Where the clause has no local part, that of the version does not count.
  const mine = bound.includes("+") ? version : version.replace(/\+.*$/, "");
  const order = pep440.compare(mine, bound);
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

const parts = (version: string): readonly number[] => pep440.parse(version)?.release ?? [];
const isEarly = (version: string): boolean => {
  const parsed = pep440.parse(version);
  return Boolean(parsed?.pre ?? parsed?.dev);
};
const isPost = (version: string): boolean => Boolean(pep440.parse(version)?.post);

const sameBase = (a: string, b: string): boolean =>
  startsWith(a, b, Math.max(parts(a).length, parts(b).length));

/** The same epoch, and the same first numbers of the release; missing ones are 0. */
function startsWith(version: string, bound: string, length: number): boolean {
  const [mine, theirs] = [pep440.parse(version), pep440.parse(bound)];
  if (!mine || !theirs || mine.epoch !== theirs.epoch) return false;
  return Array.from({ length }, (_, place) => place).every(
    (place) => (mine.release[place] ?? 0) === (theirs.release[place] ?? 0),
  );
}
