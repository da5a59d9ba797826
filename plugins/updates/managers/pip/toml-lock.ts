/** poetry.lock and pdm.lock: one package's block with its new version, description and files, and the manifest's hash. */
import { parse } from "smol-toml";
import type { Lookup } from "../../registries/contract.js";
import { assertAllowed, assertSameNeeds, bothOf, type Move, NotCertain } from "./certain.js";
import { pdmHash, poetryHash } from "./content-hash.js";
import { filesOf, type PackageFile } from "./simple.js";
import { normalised, readWritten } from "./written.js";

export interface TomlLock {
  /** With line feeds, without a byte order mark. */
  readonly lock: string;
  /** pyproject.toml before and after. */
  readonly before: string;
  readonly after: string;
  readonly versions: ReadonlyMap<string, string>;
}

interface Format {
  readonly description: string;
  readonly hash: RegExp;
  readonly hashOf: (pyproject: string) => string;
}

const POETRY: Format = {
  description: "description",
  hash: /^(content-hash = ")([0-9a-f]{64})(")/m,
  hashOf: poetryHash,
};
const PDM: Format = {
  description: "summary",
  hash: /^(content_hash = "sha256:)([0-9a-f]{64})(")/m,
  hashOf: pdmHash,
};

export const movedInPoetry = (lock: TomlLock, moves: readonly Move[], lookup: Lookup) =>
  moved(POETRY, lock, moves, lookup);
export const movedInPdm = (lock: TomlLock, moves: readonly Move[], lookup: Lookup) =>
  moved(PDM, lock, moves, lookup);

/** @throws NotCertain; UpdatesError `does_not_resolve`; as `Lookup` */
async function moved(
  format: Format,
  { lock, before, after, versions }: TomlLock,
  moves: readonly Move[],
  lookup: Lookup,
): Promise<string> {
  let text = lock;
  for (const move of moves) {
    const { old, next } = await bothOf(move, lookup);
    assertSameNeeds(move, old, next, versions);
    // What each package requires is written in its block: only the same words are certain.
    if ([...old.requires].sort().join("\n") !== [...next.requires].sort().join("\n"))
      throw new NotCertain(`${move.name} ${move.to} requires other versions than before.`);
    assertOthersAllow(text, move);
    const block = blockOf(text, move.name);
    const described = (summary: string): string => `${format.description} = ${quoted(summary)}\n`;
    const list = await filesText(move, move.from, block.text, lookup);
    const written = block.text
      .replace(`version = "${move.from}"\n`, () => `version = "${move.to}"\n`)
      .replace(described(old.summary), () => described(next.summary))
      .replace(list.old, () => list.next);
    if (old.summary !== next.summary && !block.text.includes(described(old.summary)))
      throw new NotCertain(`How ${move.name} is described is not known.`);
    text = text.slice(0, block.start) + written + text.slice(block.start + block.text.length);
  }
  return before === after ? text : rehashed(format, text, before, after);
}

function rehashed({ hash, hashOf }: Format, text: string, before: string, after: string): string {
  // Only who makes the old hash from the old manifest makes the new one, too.
  if (hash.exec(text)?.[2] !== hashOf(before))
    throw new NotCertain(
      "The lock file was made for another pyproject.toml, or by another version of its tool.",
    );
  return text.replace(
    hash,
    (_all, head: string, _old, tail: string) => head + hashOf(after) + tail,
  );
}

const quoted = (text: string): string => JSON.stringify(text);

function blockOf(text: string, name: string): { readonly start: number; readonly text: string } {
  const blocks = [
    ...text.matchAll(
      /^\[\[package\]\]\n(?:(?!\[\[package\]\]|\[metadata\]|\[extras\]).*(?:\n|$))*/gm,
    ),
  ].filter(([block]) => normalised(/^name = "([^"]*)"$/m.exec(block)?.[1] ?? "") === name);
  const [block] = blocks;
  if (!block || blocks.length > 1)
    throw new NotCertain(`${name} is locked ${block ? "more than once" : "nowhere"}.`);
  return { start: block.index, text: block[0] };
}

/** @throws NotCertain where what stands there is not what the index says of the old version */
async function filesText(
  { index, name, to }: Move,
  from: string,
  block: string,
  lookup: Lookup,
): Promise<{ readonly old: string; readonly next: string }> {
  const [old, next] = await Promise.all(
    [from, to].map(async (version) => listed(await filesOf(index, name, version, lookup))),
  );
  if (old === undefined || next === undefined || !block.includes(old))
    throw new NotCertain(`The files of ${name} are not listed as the index lists them.`);
  return { old, next };
}

const listed = (files: readonly PackageFile[]): string | undefined =>
  files.some(({ sha256 }) => sha256 === undefined) || files.length === 0
    ? undefined
    : `files = [\n${files
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, sha256 }) => `    {file = "${name}", hash = "sha256:${sha256}"},\n`)
        .join("")}]\n`;

interface Locked {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, unknown>> | readonly unknown[];
}

/** @throws UpdatesError `does_not_resolve` */
function assertOthersAllow(text: string, move: Move): void {
  const { package: packages = [] } = parse(text) as { package?: readonly Locked[] };
  for (const { name, version, dependencies = {} } of packages) {
    const needs = Array.isArray(dependencies)
      ? dependencies.flatMap(fromList)
      : fromTable(dependencies as Readonly<Record<string, unknown>>);
    assertAllowed(move, `${name} ${version}`, needs);
  }
}

function fromList(entry: unknown): { readonly name: string; readonly requirement: string }[] {
  const written = readWritten(String(entry), 0, { section: "", development: false });
  return written ? [{ name: normalised(written.name), requirement: written.requirement }] : [];
}

const fromTable = (entries: Readonly<Record<string, unknown>>) =>
  Object.entries(entries).flatMap(([name, entry]) =>
    (Array.isArray(entry) ? entry : [entry]).map((each: unknown) => ({
      name: normalised(name),
      requirement:
        typeof each === "string" ? each : String((each as { version?: unknown })?.version ?? "*"),
    })),
  );
