/** Runs `dotnet restore`. MSBuild evaluates the repository's projects, which may run their code, so the instance must allow it. */
import { join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Credential } from "../../registries/contract.js";
import { credentialFor } from "../../registries/credentials.js";
import type {
  FileTexts,
  ProjectSources,
  RepositoryPath,
  Tools,
  VersionChange,
} from "../contract.js";
import type { RefreshedLock } from "../lock/contract.js";
import { inScratch, sourceCode } from "../lock/scratch.js";
import { lastErrorLine, runTool, type ToolResult } from "../lock/tool.js";
import { readNugetLock } from "./lockfile.js";
import { isProject, named } from "./manifest/files.js";
import { normalizedNuget } from "./versions.js";

export interface Restoring {
  readonly sources: ProjectSources;
  readonly lock: RepositoryPath;
  /** With the new requirements. */
  readonly edited: FileTexts;
  readonly changes: readonly VersionChange[];
  readonly feeds: readonly string[];
  readonly tools: Tools;
}

const CONFIG = ".reeve/nuget.config";

/** @throws UpdatesError `does_not_resolve`, `lock_failed`, `tool_missing`, `tool_failed` */
export async function lockedByDotnet(restoring: Restoring): Promise<RefreshedLock> {
  const { sources, lock, edited, changes, feeds, tools } = restoring;
  const project = projectOf(sources, lock);
  const files = new Map([
    ...(await sourceCode(sources, isProject, tools)),
    ...[...sources.files].filter(([path]) => !named(path, "nuget.config")),
    ...edited,
    [CONFIG, configuration(feeds, tools.credentials)],
  ]);
  return inScratch(tools, files, async (scratch, { read }) => {
    const env = { ...QUIET, NUGET_PACKAGES: join(scratch, ".reeve/packages"), TMPDIR: scratch };
    const run = (...args: readonly string[]): Promise<ToolResult> =>
      runTool({ argv: ["dotnet", ...args], directory: scratch, env, tools });
    const version = await run("--version");
    if (version.exitCode !== 0) throw new UpdatesError("lock_failed", failure(version));
    const options = ["--force-evaluate", "--configfile", join(scratch, CONFIG)];
    const result = await run("restore", project, ...options);
    if (result.exitCode !== 0)
      throw new UpdatesError(
        /\bNU1(?:107|108|605|608)\b/.test(result.stdout) ? "does_not_resolve" : "lock_failed",
        failure(result),
      );
    const text = await read(lock);
    assertMoved(text, changes);
    return { text, by: `dotnet ${lastErrorLine(version)}` };
  });
}

const QUIET = {
  DOTNET_CLI_TELEMETRY_OPTOUT: "1",
  DOTNET_NOLOGO: "1",
  DOTNET_SKIP_FIRST_TIME_EXPERIENCE: "1",
  DOTNET_GENERATE_ASPNET_CERTIFICATE: "false",
  MSBUILDDISABLENODEREUSE: "1",
};

/** The one project beside the lock file. */
function projectOf({ tree }: ProjectSources, lock: RepositoryPath): RepositoryPath {
  const folder = posix.dirname(lock);
  const [project, another] = tree
    .map(({ path }) => path)
    .filter((path) => posix.dirname(path) === folder && /\.\w+proj$/i.test(path));
  if (project === undefined || another !== undefined)
    throw new UpdatesError("lock_failed", `The project of ${lock} is ambiguous.`);
  return project;
}

/** The line that says what is wrong, without the places on this machine. */
function failure(result: ToolResult): string {
  const [, problem] = /: error ((?:NU|MSB|NETSDK)\d+: .*?)(?: \[|$)/m.exec(result.stdout) ?? [];
  return `\`dotnet restore\` failed: ${problem ?? lastErrorLine(result)}`;
}

function assertMoved(text: string, changes: readonly VersionChange[]): void {
  const sections = [...(readNugetLock(text)?.sections.values() ?? [])];
  for (const { dependency, to } of changes)
    for (const [name, { type, resolved }] of sections.flatMap(Object.entries))
      if (name.toLowerCase() === dependency.name.toLowerCase() && type === "Direct")
        if (resolved !== normalizedNuget(to.version))
          throw new UpdatesError(
            "does_not_resolve",
            `\`dotnet restore\` takes ${name} ${resolved} where ${to.version} was wanted.`,
          );
}

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** A configuration with these feeds only, with their user names and passwords. */
function configuration(feeds: readonly string[], credentials: readonly Credential[]): string {
  const sources = feeds.map((url, index) => {
    const plain = url.startsWith("http:") ? ` allowInsecureConnections="true"` : "";
    return `<add key="feed${index}" value="${escaped(url)}" protocolVersion="3"${plain} />`;
  });
  const known = feeds.map((url, index) => {
    const own = credentialFor(url, credentials);
    const [, secret] = /^Basic (.+)$/i.exec(own?.authorization ?? "") ?? [];
    if (secret === undefined) return "";
    const [user = "", ...password] = Buffer.from(secret, "base64").toString().split(":");
    return `<feed${index}><add key="Username" value="${escaped(user)}" /><add key="ClearTextPassword" value="${escaped(password.join(":"))}" /></feed${index}>`;
  });
  return `<configuration>
  <packageSources><clear />${sources.join("")}</packageSources>
  <packageSourceCredentials>${known.join("")}</packageSourceCredentials>
</configuration>
`;
}
