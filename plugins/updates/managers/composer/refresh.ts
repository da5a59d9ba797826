/** composer.lock in process: the entries of what moves, and the hash of composer.json. All else stays as it is. */
import { type Node, parseTree } from "jsonc-parser";
import type { Lookup } from "../../registries/contract.js";
import { readJson } from "../../text/json.js";
import { replaced, withoutMark } from "../../text/text.js";
import type { RepositoryPath, VersionChange } from "../contract.js";
import { LockFallback } from "../lock/refresh.js";
import { composerContentHash } from "./content-hash.js";
import {
  type JsonObject,
  type LockedPackage,
  lockDocument,
  readComposerLock,
  textsOf,
} from "./document.js";
import { lockEntry, phpJson } from "./entry.js";
import { assertStands } from "./graph.js";
import { packageVersion } from "./metadata.js";

export interface LockChange {
  readonly manifest: RepositoryPath;
  /** Before and after the edit. */
  readonly old: string;
  readonly edited: string;
  readonly lock: RepositoryPath;
  readonly text: string;
  readonly changes: readonly VersionChange[];
  readonly lookup: Lookup;
}

/** @throws UpdatesError `does_not_resolve`; LockFallback; as `Lookup` */
export async function moveLocked(refreshing: LockChange): Promise<string> {
  const { lock, text, changes } = refreshing;
  const before = readComposerLock(lock, text);
  if (lockDocument(lock, text)["content-hash"] !== composerContentHash(refreshing.old))
    throw new LockFallback("it is for another composer.json than there is");
  const entries = new Map<string, JsonObject>();
  for (const change of changes)
    entries.set(change.dependency.name, await newEntry(refreshing, before, change));
  const after = before.map((one): LockedPackage => {
    const entry = entries.get(one.name);
    return entry ? { ...one, version: String(entry.version), entry } : one;
  });
  const json = readJson(refreshing.manifest, refreshing.edited);
  const project = {
    roots: textsOf(json.value("require")),
    developmentRoots: textsOf(json.value("require-dev")),
  };
  assertStands(project, before, after, new Set(entries.keys()));
  return written(refreshing, entries);
}

/** Prereleases by name, flags such as `@beta`: the lock notes them in other places too. */
const FLAGGED = /@|-?(?:alpha|beta|rc|dev)/i;

async function newEntry(
  { text, lookup }: LockChange,
  before: readonly LockedPackage[],
  { dependency, to, requirements }: VersionChange,
): Promise<JsonObject> {
  const { name, declarations, current } = dependency;
  const old = before.filter((one) => one.name === name);
  if (old.length !== 1 || current === undefined)
    throw new LockFallback(`${name} is not locked once`);
  if (
    [...requirements, ...declarations.map(({ requirement }) => requirement), to.version].some(
      (one) => FLAGGED.test(one),
    )
  )
    throw new LockFallback(`the stability of ${name} is noted in the lock`);
  const locked = await packageVersion(dependency, current, lookup);
  const wanted = await packageVersion(dependency, to.version, lookup);
  const entry = wanted && lockEntry(wanted);
  const known = locked && lockEntry(locked);
  // What is locked now has to come out as it stands there; then what it is made from is understood.
  if (!entry || !known || phpJson(known, indentOf(text)) !== phpJson(old[0]?.entry, indentOf(text)))
    throw new LockFallback(`${name} is described in a way that is not written here`);
  return entry;
}

const indentOf = (text: string): string => /^([ \t]+)"/m.exec(text)?.[1] ?? "    ";

function written(
  { text: whole, edited, manifest }: LockChange,
  entries: ReadonlyMap<string, JsonObject>,
): string {
  const { text, skipped } = withoutMark(whole);
  const root = parseTree(text);
  const indent = indentOf(text);
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const edits = [
    { node: memberOf(root, "content-hash"), value: `"${composerContentHash(edited)}"` },
  ];
  for (const key of ["packages", "packages-dev"])
    for (const node of memberOf(root, key)?.children ?? []) {
      const entry = entries.get(String(memberOf(node, "name")?.value).toLowerCase());
      if (!entry) continue;
      const lines = phpJson(entry, indent).split("\n");
      edits.push({ node, value: lines.join(newline + indent.repeat(2)) });
    }
  return replaced(
    whole,
    edits.map(({ node, value }) => {
      if (!node) throw new LockFallback(`there is no hash of ${manifest} in it`);
      const start = node.offset + skipped;
      return { range: { start, end: start + node.length }, text: value };
    }),
  );
}

const memberOf = (node: Node | undefined, key: string): Node | undefined =>
  node?.type === "object"
    ? node.children?.find(({ children }) => children?.[0]?.value === key)?.children?.[1]
    : undefined;
