/** Refreshes bun.lock with the repository's bun. No scripts run, and `bunfig.toml` does not count. */
import type { FileTexts } from "../../contract.js";
import type { RefreshedLock } from "../../lock/contract.js";
import { LockFallback } from "../../lock/refresh.js";
import { lastErrorLine, type ToolResult } from "../../lock/tool.js";
import { within } from "../../paths.js";
import { bunDeclarations, bunFormat, bunLockVersions } from "../lockfile/bun.js";
import { registriesInUse } from "../registry/registries.js";
import { packageTool, wantedTool } from "../tool/package-tool.js";
import {
  directChanges,
  indirectChanges,
  loginsFor,
  type NpmLockChange,
  patches,
  refreshedByTool,
  type ToolStep,
} from "../tool/run.js";
import { npmrcLogins } from "../tool/yarn-settings.js";

export async function refreshBun(change: NpmLockChange): Promise<RefreshedLock> {
  const { request, tools, file, files } = change;
  const { sources, settings, changes } = request;
  const lock = files.get(file) ?? "";
  const format = formatOf(lock);
  const wanted = wantedTool(sources, "bun", format);
  if (!wanted) throw new LockFallback("no known bun writes its format");
  await assertNoSettings(change);
  const tool = await packageTool(wanted, request, tools);
  const registries = registriesInUse({ ...sources, files }, settings);
  const lines = Object.entries(registries).map(
    ([scope, url]) => `${scope === "" ? "" : `${scope}:`}registry=${url}/\n`,
  );
  const logins = npmrcLogins(loginsFor(registries, tools.credentials));
  const more: FileTexts = new Map([
    ...(await patches(change)),
    [".npmrc", `${lines.join("")}${logins}`],
  ]);
  const common = ["--lockfile-only", "--ignore-scripts", `--registry=${registries[""]}/`];
  const install = ["install", ...common];
  const indirect = indirectChanges(changes).map(({ dependency }) => dependency.name);
  const steps: ToolStep[] = [
    ...(directChanges(changes).length > 0
      ? [
          { manifests: "pinned" as const, args: install },
          { manifests: "edited" as const, args: install },
        ]
      : []),
    ...(indirect.length > 0
      ? [{ manifests: "edited" as const, args: ["update", ...common, ...indirect] }]
      : []),
  ];
  const refreshed = await refreshedByTool({
    ...{ change, tool, command: "bun", steps, more },
    env: (home) => ({
      BUN_INSTALL: home,
      BUN_INSTALL_CACHE_DIR: `${home}/cache`,
      BUN_TMPDIR: home,
      DO_NOT_TRACK: "1",
      CI: "true",
    }),
    problemIn,
    read: bunLockVersions,
  });
  const after = bunFormat(refreshed.text);
  if (!wanted.named && after !== format)
    throw new LockFallback(`bun ${tool.version} writes format ${after}, not ${format}`);
  if (bunDeclarations(refreshed.text) !== bunDeclarations(lock))
    throw new LockFallback(`bun ${tool.version} changes what is declared`);
  return refreshed;
}

/** A lock file that cannot be read is reported already. */
function formatOf(lock: string): string {
  try {
    return bunFormat(lock);
  } catch {
    throw new LockFallback("it cannot be read");
  }
}

/** `[install]` names registries and changes what is resolved. */
async function assertNoSettings({ request: { sources }, tools }: NpmLockChange): Promise<void> {
  const file = within(sources.directory, "bunfig.toml");
  if (!sources.tree.some(({ path }) => path === file)) return;
  const text = (await tools.read?.([file]))?.get(file);
  if (text === undefined || /^[ \t]*(\[+[ \t]*)?["']?install\b/m.test(text))
    throw new LockFallback("`install` in bunfig.toml is not read");
}

function problemIn(result: ToolResult): { why: string; unresolvable: boolean } {
  const said = `${result.stdout}\n${result.stderr}`;
  const errors = [...said.matchAll(/^error: (.+)$/gm)].map(([, why = ""]) => why);
  const unresolvable = errors.find((why) => /No version matching|failed to resolve/i.test(why));
  return {
    why: unresolvable ?? errors[0] ?? lastErrorLine(result),
    unresolvable: unresolvable !== undefined,
  };
}
