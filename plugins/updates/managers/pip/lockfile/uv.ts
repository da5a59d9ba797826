/** uv.lock: one package's block with its new version and files, and what the project requires. */

import { parse } from "smol-toml";
import type { Lookup } from "../../../registries/contract.js";
import { replaced } from "../../../text/text.js";
import { LockFallback } from "../../lock/refresh.js";
import { normalizedName } from "../manifest/written-requirement.js";
import { metadataOf, type PackageFile, releaseFiles } from "../registry.js";
import { assertAllowed, assertSameNeeds, bothOf, needsOf, type PythonMove } from "../resolve.js";

export interface UvLock {
  /** Line feeds only, no byte order mark. */
  readonly lock: string;
  readonly versions: ReadonlyMap<string, string>;
  /** Name → requirement in the manifest before and after. */
  readonly requirements: ReadonlyMap<string, readonly (readonly [before: string, after: string])[]>;
}

/** @throws LockFallback; UpdatesError `does_not_resolve`; as `Lookup` */
export async function movedInUv(
  { lock, versions, requirements }: UvLock,
  moves: readonly PythonMove[],
  lookup: Lookup,
): Promise<string> {
  let text = lock;
  for (const move of moves) {
    const { old, next } = await bothOf(move, lookup);
    assertSameNeeds(move, old, next, versions);
    await assertOthersAllow(text, move, lookup);
    text = await inBlock(text, move, lookup);
    // Equal texts move together.
    for (const [before, after] of new Map(requirements.get(move.name)))
      text = inProject(text, move.name, before, after);
  }
  return text;
}

async function inBlock(text: string, move: PythonMove, lookup: Lookup): Promise<string> {
  const { name, from, to, index } = move;
  const head = `[[package]]\nname = "${name}"\nversion = "${from}"\n`;
  const start = text.indexOf(head);
  if (start < 0 || text.indexOf(`[[package]]\nname = "${name}"\n`, start + 1) >= 0)
    throw new LockFallback(`${name} is not locked once.`);
  const end = text.indexOf("\n[[package]]\n", start);
  const block = text.slice(start, end < 0 ? text.length : end);
  const said = filesText(block);
  const old = written(await releaseFiles(index, name, from, lookup), said);
  const next = written(await releaseFiles(index, name, to, lookup), said);
  // The new text is certain only if the old one is reproduced.
  if (!old || !next || !block.includes(old))
    throw new LockFallback(`The files of ${name} are not listed as the index lists them.`);
  const edited = block.replace(head, head.replace(`"${from}"`, `"${to}"`)).replace(old, () => next);
  return text.slice(0, start) + edited + text.slice(start + block.length);
}

interface Said {
  readonly size: boolean;
  readonly uploaded: boolean;
}

const filesText = (block: string): Said => ({
  size: /, size = \d+/.test(block),
  uploaded: /, upload-time = "/.test(block),
});

/** `sdist` and `wheels`, with the fields that the lock file has. */
function written(files: readonly PackageFile[], said: Said): string | undefined {
  if (files.some(({ sha256 }) => sha256 === undefined) || files.length === 0) return undefined;
  const one = ({ url, sha256, size, uploaded }: PackageFile): string =>
    [
      `{ url = "${url}", hash = "sha256:${sha256}"`,
      ...(said.size && size !== undefined ? [`size = ${size}`] : []),
      ...(said.uploaded && uploaded !== undefined
        ? [`upload-time = "${thousandths(uploaded)}"`]
        : []),
    ]
      .join(", ")
      .concat(" }");
  const sdist = files.find(({ name }) => !name.endsWith(".whl"));
  const wheels = files
    .filter(({ name }) => name.endsWith(".whl"))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [
    ...(sdist ? [`sdist = ${one(sdist)}\n`] : []),
    ...(wheels.length > 0
      ? [`wheels = [\n${wheels.map((each) => `    ${one(each)},\n`).join("")}]\n`]
      : []),
  ].join("");
}

/** Milliseconds, without trailing zeros. */
const thousandths = (time: string): string =>
  new Date(Date.parse(time))
    .toISOString()
    .replace(/\.?0+Z$/, "Z")
    .replace(/(T\d\d:\d\d)Z$/, "$1:00Z");

/** `specifier = "…"` of what the project itself requires. */
function inProject(text: string, name: string, before: string, after: string): string {
  if (before === after) return text;
  const [old, next] = [before, after].map((each) => each.replace(/\s+/g, ""));
  const positions = [
    ...text.matchAll(/\{ name = "([^"]+)"(?:, [^{}]*?)?, specifier = "([^"]*)"/g),
  ].filter(([, each, specifier]) => each === name && specifier === old);
  if (positions.length === 0) throw new LockFallback(`uv.lock does not say ${old} of ${name}.`);
  return replaced(
    text,
    positions.map(({ 0: whole, index }) => {
      const end = index + whole.length - 1;
      return { range: { start: end - (old?.length ?? 0), end }, text: next ?? "" };
    }),
  );
}

interface Used {
  readonly name?: unknown;
}
interface Locked {
  readonly name: string;
  readonly version?: string;
  readonly source?: Readonly<Record<string, unknown>>;
  readonly dependencies?: readonly Used[];
  readonly "optional-dependencies"?: Readonly<Record<string, readonly Used[]>>;
}

/** @throws LockFallback; UpdatesError `does_not_resolve` */
async function assertOthersAllow(text: string, move: PythonMove, lookup: Lookup): Promise<void> {
  const { package: packages = [] } = parse(text) as { package?: readonly Locked[] };
  for (const each of packages) {
    const { name, version = "", source, dependencies = [] } = each;
    const extras = Object.values(each["optional-dependencies"] ?? {}).flat();
    const registry = source?.registry;
    const uses = [...dependencies, ...extras].some(
      (used) => normalizedName(String(used.name)) === move.name,
    );
    if (!uses || typeof registry !== "string") continue;
    const metadata = await metadataOf(move.index, name, version, lookup);
    if (!metadata) throw new LockFallback(`The index does not say what ${name} ${version} needs.`);
    assertAllowed(move, `${name} ${version}`, needsOf(metadata));
  }
}
