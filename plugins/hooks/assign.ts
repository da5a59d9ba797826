/** Assigns hooks and hooks files to servers. Pure; mistakes go to `report`. */
import type { PrepareAttempt } from "reeve/plugin";
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
export function assign(
  { hook_server: servers, hook: hooks, hooks_file: files }: HooksConfiguration["blocks"],
  report: Report,
): ReadonlyMap<string, Assignment> {
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
  for (const hook of hooks) assignmentOf(hook)?.hooks.push(hook);
  for (const file of files) assignmentOf(file)?.files.push(file);
  for (const { hooks: answered } of assigned.values()) reportDuplicatePaths(answered, report);
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

function reportDuplicatePaths(hooks: readonly HookBlock[], report: Report): void {
  const seen = new Map<string, HookBlock>();
  for (const hook of hooks) {
    const shape = shapeOf(pathOf(hook));
    const duplicate = seen.get(shape);
    if (!duplicate) seen.set(shape, hook);
    else {
      const culprit = hook.values.path === undefined ? duplicate : hook;
      const other = culprit === hook ? duplicate : hook;
      report(culprit.rangeOf("path"), `\`${other.key}\` has the same path`, {
        code: "same_path",
        help: "give one of them another `path`",
      });
    }
  }
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
