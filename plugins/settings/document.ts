/** A settings file, read and checked: what it sets, and everything that is wrong with it. */
import { isRecord } from "./effective/layer.js";
import type { JsonDialect } from "./read/dialect.js";
import type { SettingsFinding } from "./read/finding.js";
import { plainJson } from "./read/plain.js";
import { decodeText, parseFile, parseText } from "./read/read.js";
import { type JsonNode, plainJsonValue } from "./read/tree.js";
import type { Checker } from "./schema/checker.js";

export interface Document {
  readonly path: string;
  readonly text: string;
  /** With places, as far as it could be understood. */
  tree(): JsonNode | undefined;
  readonly findings: readonly SettingsFinding[];
  /** What it sets, by key; only keys that the server may know. `undefined` while an error is in it. */
  readonly values: Readonly<Record<string, unknown>> | undefined;
  /** Whether the file is syntactically valid; if not, it may be half written. */
  readonly readable: boolean;
}

export function openDocument(
  path: string,
  content: Uint8Array,
  dialect: JsonDialect,
  checker: Checker,
): Document {
  return flawless(path, content, dialect, checker) ?? withFindings(path, content, dialect, checker);
}

/** Most files have no findings, so locations are computed on demand. */
function flawless(
  path: string,
  content: Uint8Array,
  dialect: JsonDialect,
  checker: Checker,
): Document | undefined {
  const text = decodeText(content);
  const read = text === undefined ? undefined : plainJson(text);
  const value = isRecord(read) ? checker.keys.flat(read) : read;
  if (text === undefined || !checker.accepts(value)) return undefined;
  const values = Object.hasOwn(value, "$schema") ? known(value, checker) : value;
  const tree = () => parseText(text, dialect).root;
  return { path, text, tree, findings: NONE, values, readable: true };
}

const NONE: readonly SettingsFinding[] = [];

function withFindings(
  path: string,
  content: Uint8Array,
  dialect: JsonDialect,
  checker: Checker,
): Document {
  const file = parseFile(content, dialect);
  const { text } = file;
  const root = file.root && checker.keys.flatTree(file.root);
  const faults = root ? harmlessTwice(file.findings, root, checker) : file.findings;
  const findings = [...faults, ...(root ? checker.file(root) : [])];
  const broken = findings.some(({ severity }) => severity === "error");
  const readable = !faults.some(({ severity }) => severity === "error");
  const values = broken || !root ? undefined : known(plainJsonValue(root) as Settings, checker);
  return { path, text, tree: () => root, findings, values, readable };
}

/** A server ignores a key that it does not know, however often it is there, and everything in its value. */
function harmlessTwice(
  faults: readonly SettingsFinding[],
  root: JsonNode,
  checker: Checker,
): readonly SettingsFinding[] {
  const ignored =
    root.kind === "object" ? root.members.filter(({ key }) => !checker.knows(key)) : [];
  return faults.map((fault) => {
    const isIgnored =
      fault.code === "duplicate" &&
      ignored.some(
        ({ keySpan, value }) =>
          fault.span && keySpan.start <= fault.span.start && fault.span.end <= value.end,
      );
    return isIgnored ? { ...fault, severity: "warning" } : fault;
  });
}

type Settings = NonNullable<Document["values"]>;

const known = (whole: Settings, checker: Checker): Settings =>
  Object.fromEntries(
    Object.entries(whole).filter(([key]) => key !== "$schema" && checker.delivers(key)),
  );
