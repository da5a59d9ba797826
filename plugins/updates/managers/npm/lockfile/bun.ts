/** Reads bun.lock: JSON with commas before brackets. Its packages are named by the path to them: `b/is-odd` is for `b` only. */
import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";
import { withoutMark } from "../../../text/text.js";

type Section = Readonly<Record<string, string>>;
interface Workspace {
  readonly name?: string;
  readonly dependencies?: Section;
  readonly devDependencies?: Section;
  readonly optionalDependencies?: Section;
  readonly peerDependencies?: Section;
}
interface BunLock {
  readonly lockfileVersion?: number;
  readonly configVersion?: number;
  readonly workspaces?: Readonly<Record<string, Workspace>>;
  readonly packages?: Readonly<Record<string, readonly [string, ...unknown[]]>>;
}

/** @throws Error with the reason */
function readBunLock(text: string): BunLock {
  const errors: ParseError[] = [];
  const lock = parse(withoutMark(text).text, errors, { allowTrailingComma: true }) as unknown;
  const [error] = errors;
  if (error) throw new Error(printParseErrorCode(error.error));
  if (typeof lock !== "object" || lock === null) throw new Error("It is no object");
  return lock as BunLock;
}

const RESOLVED = /^((?:@[^/]+\/)?[^@/]+)@(\d.*)$/;

/** As `LockedVersions` has them. */
export function bunLockVersions(text: string) {
  const { workspaces = {}, packages = {} } = readBunLock(text);
  const found = Object.entries(packages).flatMap(([path, [resolved]]) => {
    const [, name, version] = RESOLVED.exec(resolved) ?? [];
    return name === undefined || version === undefined ? [] : [{ path, name, version }];
  });
  const byPath = new Map(found.map(({ path, version }) => [path, version]));
  return {
    version: (member: string, declared: string): string | undefined =>
      byPath.get(`${workspaces[member]?.name ?? ""}/${declared}`) ?? byPath.get(declared),
    all: found.map(({ name, version }) => ({ name, version, development: false })),
  };
}

/** What differs between versions of bun: `1`, `1+` with the version of its settings. */
export function bunFormat(text: string): string {
  const { lockfileVersion = 0, configVersion } = readBunLock(text);
  return `${lockfileVersion}${configVersion === undefined ? "" : "+"}`;
}

const SECTIONS = [
  ...["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"],
] as const;

/** What the members declare, without versions. */
export const bunDeclarations = (text: string): string =>
  JSON.stringify(
    Object.entries(readBunLock(text).workspaces ?? {}).map(([member, workspace]) => [
      member,
      SECTIONS.map((section) => Object.keys((workspace as Record<string, Section>)[section] ?? {})),
    ]),
  );
