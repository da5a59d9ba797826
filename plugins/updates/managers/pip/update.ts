/** New requirements into the manifests, hashes beside them, then each lock file by what understands it. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import { withoutMark } from "../../text/text.js";
import type {
  FileTexts,
  LockOutcome,
  RepositoryPath,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { within } from "../paths.js";
import { assertSameNeeds, bothOf, type Move, NotCertain } from "./certain.js";
import { rehashed } from "./hashes.js";
import { readLocks } from "./locks.js";
import { LOCKS, requirementFiles } from "./manifests.js";
import { movedInPipfile } from "./pipfile-lock.js";
import { readRequirementsFile } from "./requirements-file.js";
import { movedInPdm, movedInPoetry } from "./toml-lock.js";
import { byHand, lockedByTool } from "./tool.js";
import { movedInUv } from "./uv-lock.js";
import { uvLockAbove, uvMembers } from "./uv-workspace.js";
import { normalised } from "./written.js";

interface Refreshing {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  readonly moves: readonly Move[];
  /** With the new requirements. */
  readonly files: FileTexts;
}

/** @throws UpdatesError `does_not_resolve`, `lock_failed` */
export async function pipUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { sources, changes } = request;
  const manifests = new Map(editManifests(sources.files, changes, (value) => value));
  const moves = changes.flatMap(moveOf);
  const outcomes: LockOutcome[] = [];
  for (const file of requirementFiles(sources)) {
    const text = manifests.get(file);
    if (text === undefined) continue;
    try {
      const hashed = await rehashed(file, text, moves, tools.lookup);
      if (hashed === undefined && !readRequirementsFile(file, text).compiled) continue;
      manifests.set(file, hashed ?? text);
      outcomes.push(await asCompiled(file, text, moves, tools));
    } catch (error) {
      if (!(error instanceof NotCertain)) throw error;
      const note = `${file} keeps the hashes of the version before: ${error.message} Put the new ones in.`;
      outcomes.push({ kind: "stale", note });
    }
  }
  const files = new Map([...sources.files, ...manifests]);
  const shared = uvLockAbove(sources);
  if (shared !== undefined) {
    const note = `${shared} is not refreshed: it belongs to the whole workspace, which a config for its root would move; run \`uv lock\`.`;
    outcomes.push({ kind: "stale", note });
  }
  const locks = LOCKS.map((name) => within(sources.directory, name)).filter((file) =>
    files.has(file),
  );
  for (const file of locks) {
    const { text, lock } = await refreshed(file, { request, tools, moves, files });
    if (text !== undefined && text !== sources.files.get(file)) manifests.set(file, text);
    outcomes.push(lock);
  }
  return {
    files: manifests,
    submodules: new Map(),
    lock: outcomes.find(({ kind }) => kind === "stale") ?? outcomes[0] ?? { kind: "absent" },
  };
}

function moveOf({ dependency, to }: VersionChange): readonly Move[] {
  const { name, current, origin } = dependency;
  if (current === undefined || current === to.version || origin.kind !== "registry") return [];
  return [{ name, from: current, to: to.version, index: origin.url }];
}

/** A file whose every line is pinned is a lock file, too: what the new version needs must stand in it. */
async function asCompiled(
  file: RepositoryPath,
  text: string,
  moves: readonly Move[],
  tools: Tools,
): Promise<LockOutcome> {
  const { lines, compiled } = readRequirementsFile(file, text);
  const done: LockOutcome = { kind: "refreshed", tier: "in_process", by: "hashes of the index" };
  const pins = new Map(
    lines.map(({ name, requirement }) => [normalised(name), requirement.replace(/^===?\s*/, "")]),
  );
  try {
    for (const move of moves) {
      if (!pins.has(move.name)) continue;
      const { old, next } = await bothOf(move, tools.lookup);
      assertSameNeeds(move, old, next, pins);
    }
    return done;
  } catch (error) {
    if (!(error instanceof NotCertain)) throw error;
    const how = compiled ? "run `pip-compile`" : "install it once and write down what comes in";
    return {
      kind: "stale",
      note: `${file} may lack what comes with the update: ${error.message} To be sure, ${how}.`,
    };
  }
}

async function refreshed(
  file: RepositoryPath,
  refreshing: Refreshing,
): Promise<{ readonly text?: string; readonly lock: LockOutcome }> {
  const { request, files, moves, tools } = refreshing;
  const { sources, settings, changes } = request;
  const before = sources.files.get(file) ?? "";
  const plain = withoutMark(before).text.replaceAll("\r\n", "\n");
  const styled = (text: string): string => inTheStyleOf(before, text);
  try {
    const text = await inProcess(file, plain, refreshing);
    return {
      text: styled(text),
      lock: { kind: "refreshed", tier: "in_process", by: "the files of the index" },
    };
  } catch (uncertain) {
    if (!(uncertain instanceof NotCertain)) throw uncertain;
    try {
      const manifests = (all: FileTexts): FileTexts =>
        new Map([...all].filter(([path]) => !LOCKS.includes(posix.basename(path))));
      const pins = editManifests(sources.files, changes.map(exact), (value) => value);
      const done = await lockedByTool({
        ...{ directory: sources.directory, lock: file, moves, settings, tools },
        named: new Set(
          changes
            .filter(({ dependency }) => dependency.declarations.length > 0)
            .map(({ dependency }) => dependency.name),
        ),
        files: manifests(files),
        pinned: new Map([...manifests(files), ...pins, [file, plain]]),
      });
      return { text: styled(done.text), lock: { kind: "refreshed", tier: "tool", by: done.by } };
    } catch (error) {
      if (!(error instanceof UpdatesError) || error.code === "does_not_resolve") throw error;
      const why = `${uncertain.message} ${error.message.replace(/\.?$/, ";")}`;
      return {
        lock: { kind: "stale", note: `${file} is not refreshed: ${why} run \`${byHand(file)}\`.` },
      };
    }
  }
}

/** The same change, with the version itself in each place. */
const exact = (change: VersionChange): VersionChange => ({
  ...change,
  requirements: change.dependency.declarations.map(({ requirement }) =>
    requirement === "" ? requirement : `==${change.to.version}`,
  ),
});

/** @throws NotCertain */
function inProcess(file: RepositoryPath, lock: string, refreshing: Refreshing): Promise<string> {
  const { request, files, moves, tools } = refreshing;
  const { sources, changes } = request;
  const [locked] = readLocks({ ...sources, files: new Map([[file, lock]]) }).locks;
  if (!locked) throw new NotCertain(`${file} cannot be read.`);
  const { versions } = locked;
  const own = moves.filter(({ name }) => versions.has(name));
  const manifest = within(
    sources.directory,
    posix.basename(file) === "Pipfile.lock" ? "Pipfile" : "pyproject.toml",
  );
  const [before, after] = [sources.files.get(manifest) ?? "", files.get(manifest) ?? ""];
  const then = new Map([...versions, ...own.map(({ name, to }) => [name, to] as const)]);
  switch (posix.basename(file)) {
    case "poetry.lock":
      return movedInPoetry({ lock, before, after, versions: then }, own, tools.lookup);
    case "pdm.lock":
      return movedInPdm({ lock, before, after, versions: then }, own, tools.lookup);
    case "uv.lock":
      return movedInUv(
        {
          ...{ lock, versions: then },
          requirements: projectRequirements([manifest, ...uvMembers(sources)], changes),
        },
        own,
        tools.lookup,
      );
    default: {
      const [first] = moves;
      return movedInPipfile(
        { lock, before, after, versions: then, index: first?.index ?? "" },
        own,
        tools.lookup,
      );
    }
  }
}

const projectRequirements = (
  manifests: readonly RepositoryPath[],
  changes: readonly VersionChange[],
) =>
  new Map(
    changes.map(({ dependency, requirements }) => [
      dependency.name,
      dependency.declarations.flatMap(({ file, requirement, section }, index) =>
        manifests.includes(file) && section !== "build-system.requires" && requirement !== ""
          ? [[requirement, requirements[index] ?? requirement] as const]
          : [],
      ),
    ]),
  );

function inTheStyleOf(before: string, after: string): string {
  const newlines = before.includes("\r\n") ? after.replaceAll("\n", "\r\n") : after;
  return before.startsWith("\uFEFF") ? `\uFEFF${newlines}` : newlines;
}
