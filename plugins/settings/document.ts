/** A settings file, read and checked: what it sets, and everything that is wrong with it. */
import type { Dialect } from "./read/dialect.js";
import type { Finding } from "./read/finding.js";
import { read } from "./read/read.js";
import { type Node, plainValue } from "./read/tree.js";
import type { Checker } from "./schema/checker.js";

export interface Document {
  readonly path: string;
  readonly text: string;
  readonly root: Node | undefined;
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
  const { text, root, findings: faults } = read(content, dialect);
  const findings = [...faults, ...(root ? checker.file(root) : [])];
  const broken = findings.some(({ severity }) => severity === "error");
  const readable = !faults.some(({ severity }) => severity === "error");
  const values = broken || !root ? undefined : settingsOf(root, checker);
  return { path, text, root, findings, values, readable };
}

function settingsOf(root: Node, checker: Checker): Readonly<Record<string, unknown>> {
  const whole = plainValue(root) as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(whole).filter(([key]) => key !== "$schema" && checker.knows(key)),
  );
}
