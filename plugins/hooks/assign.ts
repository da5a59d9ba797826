/** Which server answers for which hook. Pure; complaints go to whoever asks. */
import type { PrepareAttempt } from "reeve/plugin";
import type {
  HookBlock,
  HooksConfiguration,
  HooksFileBlock,
  ServerBlock,
} from "./blocks/blocks.js";
import { DEFAULT_SERVER, normalPrefix } from "./blocks/hook-server.js";
import { type ServerSettings, tlsOf } from "./serve/hook-server.js";
import { normalPath, shapeOf } from "./serve/path-patterns.js";

export interface Assignment {
  readonly settings: ServerSettings;
  readonly hooks: readonly HookBlock[];
  readonly files: readonly HooksFileBlock[];
}

type Report = PrepareAttempt["report"];

/** By the server's key; the server nobody configured has the key "". */
export function assign(
  { hook_server: servers, hook: hooks, hooks_file: files }: HooksConfiguration["blocks"],
  report: Report,
): ReadonlyMap<string, Assignment> {
  complainAboutTwins(servers, report);
  const assigned = new Map(
    servers.map(({ key, values }) => [key, vacant(values as ServerSettings)] as const),
  );
  const placeOf = (block: HookBlock | HooksFileBlock): ReturnType<typeof vacant> | undefined => {
    const key = block.values.server?.key ?? usualServer(servers);
    if (key === undefined) {
      complainAboutServer(block, servers, report);
      return undefined;
    }
    const place = assigned.get(key) ?? vacant(UNCONFIGURED);
    assigned.set(key, place);
    return place;
  };
  for (const hook of hooks) placeOf(hook)?.hooks.push(hook);
  for (const file of files) placeOf(file)?.files.push(file);
  for (const { hooks: answered } of assigned.values()) complainAboutPaths(answered, report);
  return assigned;
}

const vacant = (settings: ServerSettings) => ({
  settings,
  hooks: [] as HookBlock[],
  files: [] as HooksFileBlock[],
});

function complainAboutServer(
  { kind, range }: HookBlock | HooksFileBlock,
  servers: readonly ServerBlock[],
  report: Report,
): void {
  const what = kind === "hook" ? "hook" : "file";
  report(range, `there are several hook servers, and this ${what} does not say which is its`, {
    code: "no_server",
    help: `write \`server = hook_server.${servers[0]?.label ?? "main"}\`, or name one of the servers \`default\``,
  });
}

/** What a request's path is compared with, behind the prefix and its slash. */
export const pathOf = ({ label = "", values }: HookBlock): string =>
  values.path === undefined ? label : normalPath(values.path);

function complainAboutPaths(hooks: readonly HookBlock[], report: Report): void {
  const seen = new Map<string, HookBlock>();
  for (const hook of hooks) {
    const shape = shapeOf(pathOf(hook));
    const twin = seen.get(shape);
    if (!twin) seen.set(shape, hook);
    else {
      const culprit = hook.values.path === undefined ? twin : hook;
      const other = culprit === hook ? twin : hook;
      report(culprit.rangeOf("path"), `\`${other.key}\` answers at the same address`, {
        code: "same_path",
        help: "give one of them another `path`",
      });
    }
  }
}

const UNCONFIGURED: ServerSettings = {
  ...DEFAULT_SERVER,
  body_limit: 1024 * 1024,
  request_timeout: 30_000,
};

/** For hooks that name none: the only one, the one called `default`, or the one nobody configured. */
function usualServer(servers: readonly ServerBlock[]): string | undefined {
  if (servers.length === 0) return "";
  if (servers.length === 1) return servers[0]?.key;
  return servers.find(({ label }) => label === "default")?.key;
}

const sameTls = (one: ServerBlock["values"], other: ServerBlock["values"]): boolean =>
  JSON.stringify(tlsOf(one)) === JSON.stringify(tlsOf(other));

function complainAboutTwins(servers: readonly ServerBlock[], report: Report): void {
  const seen = new Map<string, ServerBlock>();
  for (const server of servers) {
    const { listen, prefix } = server.values;
    const place = `${listen} ${normalPrefix(prefix)}`;
    const twin = seen.get(place);
    if (twin && !listen.endsWith(":0")) {
      report(server.rangeOf("listen"), `\`${twin.key}\` has the same address and prefix`, {
        code: "same_address",
        help: "give one of them another `listen` or `prefix`",
      });
    }
    seen.set(place, server);
    const neighbour = servers.find((other) => other.values.listen === listen);
    if (neighbour && !listen.endsWith(":0") && !sameTls(neighbour.values, server.values)) {
      report(server.rangeOf("listen"), `\`${neighbour.key}\` listens there with another \`tls\``, {
        code: "other_tls",
        help: "give both the same `tls { … }`, or one of them another `listen`",
      });
    }
  }
}
