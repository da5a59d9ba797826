/** New requirements into the manifests; Cargo.lock in process where that is certain, else by Cargo. */
import { UpdatesError } from "../../errors.js";
import { withoutMark } from "../../text/text.js";
import type {
  LockOutcome,
  ProjectSources,
  Tools,
  UpdateEdit,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { type CargoLock, readCargoLock, writeCargoLock } from "./lock.js";
import { lockFile } from "./parse.js";
import { type Registries, registriesOf } from "./registries.js";
import { type Move, moved, NotCertain, type ResolveContext } from "./resolve.js";
import { lockedByCargo } from "./tool.js";
import { atRoot, localManifests, manifestAt } from "./workspace.js";

/** @throws UpdatesError `does_not_resolve`, `lock_failed` */
export async function cargoUpdate(request: UpdateRequest, tools: Tools): Promise<UpdateEdit> {
  const { changes, settings } = request;
  const sources = atRoot(request.sources);
  const manifests = editManifests(sources.files, changes, (value) => value);
  const files = new Map([...sources.files, ...manifests]);
  const file = lockFile(sources);
  const before = sources.files.get(file);
  const edit = (lock: LockOutcome, text?: string): UpdateEdit => ({
    files:
      text === undefined || text === before ? manifests : new Map([...manifests, [file, text]]),
    submodules: new Map(),
    lock,
  });
  if (before === undefined) return edit({ kind: "absent" });

  const moves = changes.flatMap(moveOf);
  const registries = registriesOf(sources, settings);
  const { text: marked } = withoutMark(before);
  const plain = marked.replaceAll("\r\n", "\n");
  const styled = (text: string): string => inTheStyleOf(before, text);
  const vendored = registries.vendored;
  if (vendored !== undefined)
    return edit({
      kind: "stale",
      note: `${file} is not refreshed: crates are taken from ${vendored}; run \`cargo update\` and \`cargo vendor\`.`,
    });
  try {
    const after = await inProcess(plain, moves, around({ ...sources, files }, registries, tools));
    return edit({ kind: "refreshed", tier: "in_process", by: "the locked graph" }, styled(after));
  } catch (uncertain) {
    if (!(uncertain instanceof NotCertain)) throw uncertain;
    try {
      const locked = new Map([...files, [file, plain]]);
      const done = await lockedByCargo({
        ...{ sources, files: locked, lock: file, moves, registries, tools },
      });
      return edit({ kind: "refreshed", tier: "tool", by: done.by }, styled(done.text));
    } catch (error) {
      if (!(error instanceof UpdatesError) || error.code === "does_not_resolve") throw error;
      const run = `run \`cargo update ${moves.map(({ name }) => `-p ${name}`).join(" ")}\``;
      return edit({
        kind: "stale",
        note: `${file} is not refreshed: ${uncertain.message} ${error.message.replace(/\.?$/, ";")} ${run}.`,
      });
    }
  }
}

function moveOf({ dependency, to }: VersionChange): readonly Move[] {
  const { name, current } = dependency;
  if (current === undefined || current === to.version) return [];
  return [{ name, from: current, to: to.version }];
}

/** @throws NotCertain */
async function inProcess(
  text: string,
  moves: readonly Move[],
  around: ResolveContext,
): Promise<string> {
  let lock: CargoLock;
  try {
    lock = readCargoLock(text);
  } catch (error) {
    throw new NotCertain(`Cargo.lock cannot be read: ${(error as Error).message.split("\n")[0]}.`);
  }
  // Only what would be written the same is understood well enough.
  if (writeCargoLock(lock) !== text)
    throw new NotCertain("Cargo.lock is of a format that only Cargo itself writes.");
  for (const move of moves) lock = await moved(lock, move, around);
  return writeCargoLock(lock);
}

function around(
  sources: ProjectSources,
  registries: Registries,
  { lookup }: Tools,
): ResolveContext {
  const manifests = localManifests(sources).flatMap((file) => manifestAt(sources, file) ?? []);
  const shared = new Map(manifests.flatMap((each) => each.shared).map((each) => [each.key, each]));
  return {
    lookup,
    ofSource: registries.ofSource,
    required: (member, name) => {
      const manifest = manifests.find((each) => each.package === member);
      return manifest?.dependencies
        .map((each) => (each.inherited ? shared.get(each.key) : each))
        .filter((each) => each?.name === name)
        .map((each) => each?.requirement?.text ?? "*");
    },
  };
}

function inTheStyleOf(before: string, after: string): string {
  const newlines = before.includes("\r\n") ? after.replaceAll("\n", "\r\n") : after;
  return before.startsWith("\uFEFF") ? `\uFEFF${newlines}` : newlines;
}
