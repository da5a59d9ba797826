/**
 * What would happen between two programs. Blocks are the same by kind and label, values by what they mean; moving text
 * around changes nothing. A reference is a name: a block is not touched because one it refers to is, only because a
 * value that it took from there is different.
 */

import type { BlockDescriptor, ReloadClass, TypeDescriptor } from "../plugin-api/descriptor.js";
import { isTurnOver, nextTurn } from "../plugin-api/turns.js";
import { daemonDescriptor, settingValues } from "./daemon-block.js";
import { ownProperty } from "./own-property.js";
import type { Change, ChangeAction, ChangeReason, Plan, Program, ProgramBlock } from "./program.js";
import { renderPath } from "./render-path.js";
import { blockAsWritten, toSource } from "./values/as-written.js";
import { ConfiguredBlock } from "./values/block.js";
import { renderValue } from "./values/render.js";
import { sameEntries, sameValue } from "./values/same.js";

/** Changes in the order of the next program's text, then removals. Without `previous` everything is added. */
export const plan = (previous: Program | undefined, next: Program): Plan =>
  planOf(previous, next, [...changesBetween(previous, next)]);

/** The same, while the event loop serves requests. */
export async function planInSlices(previous: Program | undefined, next: Program): Promise<Plan> {
  const changes: Change[] = [];
  for (const each of changesBetween(previous, next)) {
    changes.push(each);
    if (isTurnOver()) await nextTurn();
  }
  return planOf(previous, next, changes);
}

function* changesBetween(previous: Program | undefined, next: Program): Generator<Change> {
  for (const block of next.blocks.values()) yield change(previous?.blocks.get(block.key), block);
  for (const { key, plugin } of previous?.blocks.values() ?? []) {
    if (!next.blocks.has(key)) yield { key, plugin, action: "removed", reasons: [] };
  }
}

function planOf(previous: Program | undefined, next: Program, changes: readonly Change[]): Plan {
  const settings = previous ? settingChanges(previous, next) : [];
  return {
    changes,
    ...(settings.length === 0 ? {} : { settings }),
    needsRestart: [
      ...forTheDaemon("daemon", settings),
      ...changes.flatMap(({ key, reasons }) => forTheDaemon(key, reasons)),
    ],
    summary: summaryOf(changes),
  };
}

/** Settings that only a restart applies. */
const forTheDaemon = (key: string, reasons: readonly ChangeReason[]): readonly string[] =>
  reasons.filter(({ reload }) => reload === "daemon").map(({ path }) => `${key}.${path}`);

function summaryOf(changes: readonly Change[]): Record<ChangeAction, number> {
  const summary = { unchanged: 0, updated: 0, replaced: 0, added: 0, removed: 0 };
  for (const { action } of changes) summary[action] += 1;
  return summary;
}

function change(before: ProgramBlock | undefined, after: ProgramBlock): Change {
  const { key, plugin } = after;
  if (!before || before.plugin !== plugin) return { key, plugin, action: "added", reasons: [] };
  if (isSame(before, after)) return { key, plugin, action: "unchanged", reasons: [] };
  const reasons = differences(before.values, after.values, after.descriptor, []);
  return { key, plugin, action: actionFor(reasons), reasons };
}

/** Most blocks are reused or equal: no reasons needed. */
const isSame = (before: ProgramBlock, after: ProgramBlock): boolean =>
  before === after || before.unresolved === after || sameEntries(before.values, after.values);

function actionFor(reasons: readonly ChangeReason[]): ChangeAction {
  if (reasons.length === 0) return "unchanged";
  return reasons.some(({ reload }) => reload === "restart") ? "replaced" : "updated";
}

type Values = Readonly<Record<string, unknown>>;
type Path = ReadonlyArray<string | number>;

/** Attribute by attribute, nested blocks by their position. */
function differences(
  before: Values,
  after: Values,
  descriptor: BlockDescriptor,
  path: Path,
): readonly ChangeReason[] {
  const { attributes, blocks } = descriptor;
  const names = new Set([
    ...Object.keys(attributes),
    ...Object.keys(before),
    ...Object.keys(after),
  ]);
  return [...names].flatMap((name) => {
    const here = [...path, name];
    const nested = ownProperty(blocks, name);
    if (nested) {
      return nestedDifferences(listOf(before[name]), listOf(after[name]), nested, here);
    }
    const attribute = ownProperty(attributes, name);
    return sameValue(before[name], after[name])
      ? []
      : [
          reason(
            here,
            attribute?.reload ?? descriptor.reload,
            before[name],
            after[name],
            attribute?.type,
          ),
        ];
  });
}

/** A nested block with a maximum of one is an object, not a list. */
const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

function nestedDifferences(
  before: readonly unknown[],
  after: readonly unknown[],
  descriptor: BlockDescriptor & { readonly maximum?: number },
  path: Path,
): readonly ChangeReason[] {
  const length = Math.max(before.length, after.length);
  return Array.from({ length }, (_, index) => index).flatMap((index) => {
    const here = descriptor.maximum === 1 ? path : [...path, index];
    const [old, young] = [before[index], after[index]];
    const comparable =
      old instanceof ConfiguredBlock &&
      young instanceof ConfiguredBlock &&
      sameValue(old.labels, young.labels);
    return comparable
      ? differences(old.values, young.values, descriptor, here)
      : [
          reasonFor(
            here,
            descriptor.reload,
            blockAsWritten(old, descriptor),
            blockAsWritten(young, descriptor),
          ),
        ];
  });
}

function reason(
  path: Path,
  reload: ReloadClass,
  before: unknown,
  after: unknown,
  type: TypeDescriptor | undefined,
): ChangeReason {
  return reasonFor(path, reload, toSource(before, type), toSource(after, type));
}

function reasonFor(path: Path, reload: ReloadClass, before: unknown, after: unknown): ChangeReason {
  return {
    path: renderPath(path),
    reload,
    ...(before === undefined ? {} : { before: renderValue(before) }),
    ...(after === undefined ? {} : { after: renderValue(after) }),
  };
}

/** The daemon's own settings, compared like the attributes they are written as. */
function settingChanges(previous: Program, next: Program): readonly ChangeReason[] {
  const [before, after] = [settingValues(previous.daemon), settingValues(next.daemon)];
  return differences(before, after, daemonDescriptor, []);
}
