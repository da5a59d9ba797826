/** A settings file, read and checked: what it sets, and everything that is wrong with it. */
import type { Dialect } from "./read/dialect.js";
import type { Finding } from "./read/finding.js";
import { plainJson } from "./read/plain.js";
import { decoded, read, readText } from "./read/read.js";
import { type Node, plainValue } from "./read/tree.js";
import type { Checker } from "./schema/checker.js";

export interface Document {
  readonly path: string;
  readonly text: string;
  /** With places, as far as it could be understood. */
  tree(): Node | undefined;
  readonly findings: readonly Finding[];
  /** What it sets, by key; only keys that the server knows. `undefined` while an error is in it. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
  /** Whether it can be understood as a text at all; if not, somebody may be in the middle of writing it. */
  readonly readable: boolean;
}

export function documentOf(
  path: string,
  content: Uint8Array,
  dialect: Dialect,
  checker: Checker,
): Document {
  return flawless(path, content, dialect, checker) ?? withFindings(path, content, dialect, checker);
}

/** Of most files there is nothing to say, so the places of things in them are looked for only when somebody asks. */
function flawless(
  path: string,
  content: Uint8Array,
  dialect: Dialect,
  checker: Checker,
): Document | undefined {
  const text = decoded(content);
  const value = text === undefined ? undefined : plainJson(text);
  if (text === undefined || !checker.accepts(value)) return undefined;
  const values = Object.hasOwn(value, "$schema") ? known(value, checker) : value;
  const tree = () => readText(text, dialect).root;
  return { path, text, tree, findings: NONE, values, readable: true };
}

const NONE: readonly Finding[] = [];

function withFindings(
  path: string,
  content: Uint8Array,
  dialect: Dialect,
  checker: Checker,
): Document {
  const { text, root, findings: faults } = read(content, dialect);
  const findings = [...faults, ...(root ? checker.file(root) : [])];
  const broken = findings.some(({ severity }) => severity === "error");
  const readable = !faults.some(({ severity }) => severity === "error");
  const values = broken || !root ? undefined : known(plainValue(root) as Settings, checker);
  return { path, text, tree: () => root, findings, values, readable };
}

type Settings = NonNullable<Document["values"]>;

const known = (whole: Settings, checker: Checker): Settings =>
  Object.fromEntries(
    Object.entries(whole).filter(([key]) => key !== "$schema" && checker.knows(key)),
  );
