/** Runs Composer where more than one package has to move. Scripts and plugins are off, so no code of the repository runs. */
import { dirname, join, posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Credential } from "../../registries/contract.js";
import { readJson } from "../../text/json.js";
import type {
  FileTexts,
  ProjectSources,
  RepositoryPath,
  Tools,
  VersionChange,
} from "../contract.js";
import type { RefreshedLock } from "../lock/contract.js";
import { LockFallback } from "../lock/refresh.js";
import { inScratch } from "../lock/scratch.js";
import { lastErrorLine, runTool, type ToolResult } from "../lock/tool.js";
import { insideOf } from "../paths.js";
import { jsonObject, readComposerLock } from "./lockfile/read.js";
import { phpJson } from "./lockfile/write.js";
import { composerRepositories } from "./manifest.js";

interface ComposerRun {
  readonly sources: ProjectSources;
  readonly manifest: RepositoryPath;
  readonly edited: string;
  readonly lock: RepositoryPath;
  readonly text: string;
  readonly changes: readonly VersionChange[];
  readonly tools: Tools;
  /** The instance's replacement of the public repository. */
  readonly mirror: string | undefined;
}

/** Composer's exit code for an unresolvable set. */
const UNSOLVED = 2;

/** @throws LockFallback; UpdatesError `does_not_resolve`, `tool_missing` */
export async function lockedByComposer({
  sources,
  manifest,
  edited,
  lock,
  text,
  changes,
  tools,
  mirror,
}: ComposerRun): Promise<RefreshedLock> {
  const { directories } = composerRepositories(readJson(manifest, edited).value("repositories"), {
    registries: [],
  });
  const files = new Map([
    ...(await pathPackages(sources, directories, tools)),
    [manifest, edited],
    [lock, text],
    [".composer/config.json", JSON.stringify(mirrored(mirror))],
  ]);
  return inScratch(tools, files, async (directory, { read }) => {
    const env = {
      COMPOSER_HOME: join(directory, ".composer"),
      COMPOSER_CACHE_DIR: join(directory, ".composer", "cache"),
      COMPOSER_ALLOW_SUPERUSER: "1",
      COMPOSER_NO_INTERACTION: "1",
      ...credentialsFor(tools.credentials),
    };
    const workingDirectory = ["--working-dir", join(directory, dirname(manifest))];
    const wanted = changes.map(
      ({ dependency, to }) => `${dependency.name}:${to.version.replace(/^v/, "")}`,
    );
    const composer = (...args: readonly string[]): Promise<ToolResult> =>
      runTool({ argv: ["composer", ...args], directory, env, tools });
    const solve = (along: string): Promise<ToolResult> =>
      composer("update", ...wanted, ...workingDirectory, along, ...FLAGS);
    const first = await solve("--with-dependencies");
    // What the project requires itself stays where it is, unless nothing else helps.
    const result = first.exitCode === UNSOLVED ? await solve("--with-all-dependencies") : first;
    const problem = `\`composer update\` failed: ${problemIn(result)}`;
    if (result.exitCode === UNSOLVED) throw new UpdatesError("does_not_resolve", problem);
    if (result.exitCode !== 0) throw new LockFallback(problem);
    const { stdout } = await composer("--version", "--no-ansi");
    const [, number = ""] = /Composer (?:version )?(\S+)/.exec(stdout) ?? [];
    const after = await read(lock);
    if (!sameFromPaths(lock, text, after))
      throw new LockFallback("versions of the packages in directories depend on git");
    return { text: after, by: `composer ${number}` };
  });
}

const mirrored = (url: string | undefined): object =>
  url === undefined
    ? {}
    : {
        repositories: [{ type: "composer", url }, { "packagist.org": false }],
        config: { "secure-http": url.startsWith("https:") },
      };

/** The PHP version is already checked, and this machine's extensions do not matter. */
const FLAGS = [
  ...["--no-install", "--no-scripts", "--no-plugins", "--no-progress", "--no-ansi", "--no-audit"],
  "--ignore-platform-reqs",
];

function problemIn(result: Parameters<typeof lastErrorLine>[0]): string {
  const [problem] = /^\s+- .*$/m.exec(`${result.stdout}\n${result.stderr}`) ?? [];
  // The error is in a box, followed by the command's usage.
  const [, fault] = /^In \S+ line \d+:\s*\n\s+(\S.*?)\s*$/m.exec(result.stderr) ?? [];
  return problem?.trim().replace(/^- /, "") ?? fault ?? lastErrorLine(result);
}

function credentialsFor(credentials: readonly Credential[]): Readonly<Record<string, string>> {
  const basic: Record<string, { username: string; password: string }> = {};
  const bearer: Record<string, string> = {};
  for (const { url, authorization } of credentials) {
    if (!URL.canParse(url)) continue;
    const [, kind = "", secret = ""] = /^(\w+) (.+)$/.exec(authorization) ?? [];
    const { host } = new URL(url);
    if (/^bearer$/i.test(kind)) bearer[host] = secret;
    if (!/^basic$/i.test(kind)) continue;
    const [username = "", ...password] = Buffer.from(secret, "base64").toString().split(":");
    basic[host] = { username, password: password.join(":") };
  }
  return { COMPOSER_AUTH: JSON.stringify({ "http-basic": basic, bearer }) };
}

/** The `composer.json` of every package that repository `url`s name. @throws UpdatesError as `Tools.read` */
async function pathPackages(
  { directory, tree }: ProjectSources,
  urls: readonly string[],
  { read }: Pick<Tools, "read">,
): Promise<FileTexts> {
  const patterns = urls.map((url) => posix.join(insideOf(directory), url, "composer.json"));
  const inside = patterns.filter((pattern) => !/^(\/|\.\.(\/|$))/.test(pattern));
  const paths = tree
    .filter(({ kind, path }) => kind !== "submodule" && inside.some((each) => fits(path, each)))
    .map(({ path }) => path);
  return paths.length === 0 || !read ? new Map() : read(paths);
}

/** `packages/*`: a star matches one directory. */
const fits = (path: RepositoryPath, pattern: string): boolean => posix.matchesGlob(path, pattern);

/** Composer derives the version of a path package from git, which is missing here: the lock must keep the old entries. */
function sameFromPaths(lock: RepositoryPath, before: string, after: string): boolean {
  const locked = (text: string): string =>
    readComposerLock(lock, text)
      .filter(({ entry }) => jsonObject(entry.dist).type === "path")
      .map(({ entry }) => phpJson(entry, " "))
      .join("\n");
  return locked(before) === locked(after);
}
