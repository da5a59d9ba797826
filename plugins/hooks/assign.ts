/** Assigns hooks and hooks files to servers; mistakes go to `report`. */

import type { PrepareAttempt } from "reeve/plugin";
import { inTurns } from "reeve/plugin";
import type {
  HookBlock,
  HooksConfiguration,
  HooksFileBlock,
  ServerBlock,
} from "./blocks/blocks.js";
import { DEFAULT_SERVER, normalPrefix } from "./blocks/hook-server.js";
import { type HookServerSettings, tlsOf } from "./server/hook-server.js";
import { normalPath, shapeOf } from "./server/path-patterns.js";

export interface Assignment {
  readonly settings: HookServerSettings;
  /** Absent for the default server. */
  readonly block?: ServerBlock;
  readonly hooks: readonly HookBlock[];
  readonly files: readonly HooksFileBlock[];
}

type Report = PrepareAttempt["report"];

/** By the server's key; the default server without a block has the key "". */
export async function assign(
  { hook_server: servers, hook: hooks, hooks_file: files }: HooksConfiguration["blocks"],
  report: Report,
): Promise<ReadonlyMap<string, Assignment>> {
  reportDuplicateServers(servers, report);
  const assigned = new Map(
    servers.map((block) => [block.key, vacant(block.values as HookServerSettings, block)] as const),
  );
  const assignmentOf = (
    block: HookBlock | HooksFileBlock,
  ): ReturnType<typeof vacant> | undefined => {
    const key = block.values.server?.key ?? usualServer(servers);
    if (key === undefined) {
      reportMissingServer(block, servers, report);
      return undefined;
    }
    const assignment = assigned.get(key) ?? vacant(UNCONFIGURED);
    assigned.set(key, assignment);
    return assignment;
  };
  await inTurns(hooks, (hook) => void assignmentOf(hook)?.hooks.push(hook));
  for (const file of files) assignmentOf(file)?.files.push(file);
  for (const { hooks: answered } of assigned.values()) await reportDuplicatePaths(answered, report);
  return assigned;
}

const vacant = (settings: HookServerSettings, block?: ServerBlock) => ({
  settings,
  ...(block && { block }),
  hooks: [] as HookBlock[],
  files: [] as HooksFileBlock[],
});

function reportMissingServer(
  { kind, range }: HookBlock | HooksFileBlock,
  servers: readonly ServerBlock[],
  report: Report,
): void {
  const what = kind === "hook" ? "hook" : "file";
  report(range, `there are several hook servers, and this ${what} names none`, {
    code: "no_server",
    help: `write \`server = hook_server.${servers[0]?.label ?? "main"}\`, or name one of the servers \`default\``,
  });
}

/** The hook's path below the server's prefix and its slash. */
export const pathOf = ({ label = "", values }: HookBlock): string =>
  values.path === undefined ? label : normalPath(values.path);

/** Hooks of one path in the order in which they are tried. */
export const inOrder = (hooks: readonly HookBlock[]): readonly HookBlock[] =>
  hooks.some(({ values }) => values.priority !== undefined)
    ? hooks.toSorted((one, other) => (one.values.priority ?? 0) - (other.values.priority ?? 0))
    : hooks;

/** Hooks of one server that the same request may reach: on one path, with a method in common; in order, `hook` included. */
export const rivalsOf = (hook: HookBlock, hooks: readonly HookBlock[]): readonly HookBlock[] =>
  inOrder(hooks).filter((other) => other === hook || meets(hook, other));

const meets = (hook: HookBlock, other: HookBlock): boolean =>
  shapeOf(pathOf(hook)) === shapeOf(pathOf(other)) &&
  hook.values.methods.some((method) => other.values.methods.includes(method));

/** On one path hooks have different methods, or each a condition and its own priority. */
async function reportDuplicatePaths(hooks: readonly HookBlock[], report: Report): Promise<void> {
  const seen = new Map<string, HookBlock[]>();
  await inTurns(hooks, (hook) => {
    const shape = shapeOf(pathOf(hook));
    const placed = seen.get(shape);
    const other = placed?.find((each) => meets(each, hook) && !areOrdered(each, hook));
    if (other) reportPair(other, hook, report);
    if (placed) placed.push(hook);
    else seen.set(shape, [hook]);
  });
}

const isConditional = ({ values }: HookBlock): boolean => values.when !== undefined;

const areOrdered = (one: HookBlock, other: HookBlock): boolean =>
  isConditional(one) &&
  isConditional(other) &&
  one.values.priority !== undefined &&
  other.values.priority !== undefined &&
  one.values.priority !== other.values.priority;

function reportPair(one: HookBlock, other: HookBlock, report: Report): void {
  if (!isConditional(one) || !isConditional(other)) {
    const culprit = other.values.path === undefined ? one : other;
    const { key } = culprit === other ? one : other;
    report(culprit.rangeOf("path"), `\`${key}\` has the same path and method`, {
      code: "same_path",
      help: "give one of them another `path` or other `methods`, or each a `when` and a `priority`",
    });
    return;
  }
  const culprit =
    other.values.priority === undefined || one.values.priority !== undefined ? other : one;
  const { key } = culprit === other ? one : other;
  const { priority } = culprit.values;
  const what =
    priority === undefined
      ? `\`${key}\` has the same path and method, and this hook has no \`priority\``
      : `\`${key}\` has the same path, method and \`priority\``;
  report(culprit.rangeOf("priority"), what, {
    code: "same_priority",
    help: "give each its own `priority`; the lowest number is tried first",
  });
}

const UNCONFIGURED: HookServerSettings = {
  ...DEFAULT_SERVER,
  body_limit: 1024 * 1024,
  request_timeout: 30_000,
};

/** The key for hooks that name no server: the only server, the one named `default`, or "" without any. */
function usualServer(servers: readonly ServerBlock[]): string | undefined {
  if (servers.length === 0) return "";
  if (servers.length === 1) return servers[0]?.key;
  return servers.find(({ label }) => label === "default")?.key;
}

const sameTls = (one: ServerBlock["values"], other: ServerBlock["values"]): boolean =>
  JSON.stringify(tlsOf(one)) === JSON.stringify(tlsOf(other));

function reportDuplicateServers(servers: readonly ServerBlock[], report: Report): void {
  const seen = new Map<string, ServerBlock>();
  for (const server of servers) {
    const { listen, prefix } = server.values;
    const assignment = `${listen} ${normalPrefix(prefix)}`;
    const duplicate = seen.get(assignment);
    if (duplicate && !listen.endsWith(":0")) {
      report(server.rangeOf("listen"), `\`${duplicate.key}\` has the same address and prefix`, {
        code: "same_address",
        help: "give one of them another `listen` or `prefix`",
      });
    }
    seen.set(assignment, server);
    const peer = servers.find((other) => other.values.listen === listen);
    if (peer && !listen.endsWith(":0") && !sameTls(peer.values, server.values)) {
      report(server.rangeOf("listen"), `\`${peer.key}\` listens there with another \`tls\``, {
        code: "other_tls",
        help: "give both the same `tls { … }`, or one of them another `listen`",
      });
    }
  }
}
