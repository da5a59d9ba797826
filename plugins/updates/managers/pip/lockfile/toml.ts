/** poetry.lock and pdm.lock: one package's block with its new version, description and files, and the manifest's hash. */

import { parse } from "smol-toml";
import type { Lookup } from "../../../registries/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import { normalizedName, readWritten } from "../manifest/written-requirement.js";
import { type PackageFile, releaseFiles } from "../registry.js";
import { assertAllowed, assertSameNeeds, bothOf, type PythonMove } from "../resolve.js";
import { pdmHashes, poetryHash } from "./content-hash.js";

export interface TomlLock {
  /** Line feeds only, no byte order mark. */
  readonly lock: string;
  /** pyproject.toml before and after. */
  readonly before: string;
  readonly after: string;
  readonly versions: ReadonlyMap<string, string>;
}

interface Format {
  readonly description: string;
  readonly hash: RegExp;
  /** One hash per algorithm of the tool's versions. */
  readonly hashesOf: (pyproject: string) => readonly string[];
}

const POETRY: Format = {
  description: "description",
  hash: /^(content-hash = ")([0-9a-f]{64})(")/m,
  hashesOf: (pyproject) => [poetryHash(pyproject)],
};
const PDM: Format = {
  description: "summary",
  hash: /^(content_hash = "sha256:)([0-9a-f]{64})(")/m,
  hashesOf: pdmHashes,
};

export const movedInPoetry = (lock: TomlLock, moves: readonly PythonMove[], lookup: Lookup) =>
  moved(POETRY, lock, moves, lookup);
export const movedInPdm = (lock: TomlLock, moves: readonly PythonMove[], lookup: Lookup) =>
  moved(PDM, lock, moves, lookup);

/** @throws LockFallback; UpdatesError `does_not_resolve`; as `Lookup` */
async function moved(
  format: Format,
  { lock, before, after, versions }: TomlLock,
  moves: readonly PythonMove[],
  lookup: Lookup,
): Promise<string> {
  let text = lock;
  for (const move of moves) {
    const { old, next } = await bothOf(move, lookup);
    assertSameNeeds(move, old, next, versions);
    // Each package's block has its requirements: only identical ones are certain.
    if ([...old.requires].sort().join("\n") !== [...next.requires].sort().join("\n"))
      throw new LockFallback(`${move.name} ${move.to} requires other versions than before.`);
    assertOthersAllow(text, move);
    const described = (summary: string): string => `${format.description} = ${quoted(summary)}\n`;
    const files = await fileLists(move, lookup);
    text = inBlocks(text, move, (block) => {
      if (!block.includes(described(old.summary)))
        throw new LockFallback(`How ${move.name} is described is not known.`);
      const written = block
        .replace(`version = "${move.from}"\n`, () => `version = "${move.to}"\n`)
        .replace(described(old.summary), () => described(next.summary));
      return withItself(
        /^files = \[$/m.test(block) ? relisted(written, move, files) : written,
        move,
      );
    });
    text = relistedBelow(text, move, files);
  }
  return before === after ? text : rehashed(format, text, before, after);
}

function rehashed({ hash, hashesOf }: Format, text: string, before: string, after: string): string {
  // The new hash is certain only if the old one is reproduced.
  const way = hashesOf(before).indexOf(hash.exec(text)?.[2] ?? "");
  if (way < 0)
    throw new LockFallback(
      "The lock file was made for another pyproject.toml, or by another version of its tool.",
    );
  const now = hashesOf(after)[way] ?? "";
  return text.replace(hash, (_all, head: string, _old, tail: string) => head + now + tail);
}

const quoted = (text: string): string => JSON.stringify(text);

const BLOCK = /^\[\[package\]\]\n(?:(?!\[\[package\]\]|\[metadata\b|\[extras\]).*(?:\n|$))*/gm;

/** PDM writes one block for the package, and one per used set of extras. */
function inBlocks(
  text: string,
  { name, from }: PythonMove,
  edit: (block: string) => string,
): string {
  let plain = 0;
  let all = 0;
  const written = text.replace(BLOCK, (block) => {
    if (normalizedName(/^name = "([^"]*)"$/m.exec(block)?.[1] ?? "") !== name) return block;
    if (!block.includes(`\nversion = "${from}"\n`))
      throw new LockFallback(`${name} is locked more than once.`);
    all += 1;
    plain += /^extras = \[/m.test(block) && !/^optional = /m.test(block) ? 0 : 1;
    return edit(block);
  });
  if (all === 0 || plain > 1)
    throw new LockFallback(`${name} is locked ${all === 0 ? "nowhere" : "more than once"}.`);
  return written;
}

/** A package with extras requires its own version. */
function withItself(block: string, { name, from, to }: PythonMove): string {
  return block.replace(/^dependencies = \[\n((?: {4}".*",\n)+)\]$/m, (whole, lines: string) => {
    const each = lines.trimEnd().split("\n");
    const next = each.map((line) => {
      const [, head = "", own = ""] =
        /^( {4}"([^"=[;]+)(?:\[[^\]]*\])?==)[^"=]+",$/.exec(line) ?? [];
      return normalizedName(own) === name && line === `${head}${from}",` ? `${head}${to}",` : line;
    });
    return next.join() === each.join()
      ? whole
      : `dependencies = [\n${next.toSorted().join("\n")}\n]`;
  });
}

/** The files of both versions in each way that a lock file lists them. */
type FileLists = readonly (readonly [old: string, next: string])[];

async function fileLists(
  { index, name, from, to }: PythonMove,
  lookup: Lookup,
): Promise<FileLists> {
  const old = await releaseFiles(index, name, from, lookup);
  const next = await releaseFiles(index, name, to, lookup);
  const all = [...old, ...next];
  if (old.length === 0 || next.length === 0 || all.some(({ sha256 }) => sha256 === undefined))
    throw new LockFallback(`The index does not tell the sums of all files of ${name}.`);
  const ways: readonly ((file: PackageFile) => string)[] = [
    ({ name: file }) => `file = "${file}"`,
    ({ url }) => `url = "${url}"`,
  ];
  return ways.map((way) => [listed(old, way), listed(next, way)]);
}

const listed = (files: readonly PackageFile[], way: (file: PackageFile) => string): string =>
  `[\n${files
    .map((file) => `    {${way(file)}, hash = "sha256:${file.sha256}"},\n`)
    .sort()
    .join("")}]\n`;

/** @throws LockFallback where what stands there is not what the index says of the old version */
function relisted(text: string, { name, from, to }: PythonMove, lists: FileLists): string {
  for (const head of ["files", quoted(`${name} ${from}`), name, quoted(name)])
    for (const [old, next] of lists) {
      const position = text.indexOf(`\n${head} = ${old}`);
      if (position < 0) continue;
      const key = head.includes(" ") ? quoted(`${name} ${to}`) : head;
      const rest = text.slice(position + `\n${head} = ${old}`.length);
      return `${text.slice(0, position)}\n${key} = ${next}${rest}`;
    }
  throw new LockFallback(`The files of ${name} are not listed as the index lists them.`);
}

/** Older lock files list all files in one table. */
function relistedBelow(text: string, move: PythonMove, lists: FileLists): string {
  const position = text.search(/^\[metadata\.files\]$/m);
  return position < 0
    ? text
    : text.slice(0, position) + relisted(text.slice(position), move, lists);
}

interface Locked {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, unknown>> | readonly unknown[];
}

/** @throws UpdatesError `does_not_resolve` */
function assertOthersAllow(text: string, move: PythonMove): void {
  const { package: packages = [] } = parse(text) as { package?: readonly Locked[] };
  for (const { name, version, dependencies = {} } of packages) {
    // A package with extras requires itself.
    if (normalizedName(String(name)) === move.name) continue;
    const needs = Array.isArray(dependencies)
      ? dependencies.flatMap(fromList)
      : fromTable(dependencies as Readonly<Record<string, unknown>>);
    assertAllowed(move, `${name} ${version}`, needs);
  }
}

function fromList(entry: unknown): { readonly name: string; readonly requirement: string }[] {
  const written = readWritten(String(entry), 0, { section: "", development: false });
  return written ? [{ name: normalizedName(written.name), requirement: written.requirement }] : [];
}

const fromTable = (entries: Readonly<Record<string, unknown>>) =>
  Object.entries(entries).flatMap(([name, entry]) =>
    (Array.isArray(entry) ? entry : [entry]).map((each: unknown) => ({
      name: normalizedName(name),
      requirement:
        typeof each === "string" ? each : String((each as { version?: unknown })?.version ?? "*"),
    })),
  );
