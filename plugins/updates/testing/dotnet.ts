/** The .NET SDK with NuGet, installed by `scripts/dotnet-sdk.mjs`. Uses loopback only and its own home. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { answer } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";

let directory: Promise<string> | undefined;

/** The directory of `dotnet`. */
export function dotnetDirectory(): Promise<string> {
  directory ??= outputOf(process.execPath, [join("scripts", "dotnet-sdk.mjs")]);
  return directory;
}

type Texts = Readonly<Record<string, string>>;

export interface DotnetFolder extends AsyncDisposable {
  readonly path: string;
  write(files: Texts): Promise<void>;
  /** Its output. @throws Error with the output where it fails */
  dotnet(...args: readonly string[]): Promise<string>;
  /** The lock files, by path. */
  locks(): Promise<Texts>;
  removeLocks(): Promise<void>;
}

/** A directory with a project, and a separate home for the tool. */
export async function dotnetFolder(files: Texts = {}): Promise<DotnetFolder> {
  const [root, bin] = await Promise.all([
    mkdtemp(join(tmpdir(), "reeve-dotnet-")),
    dotnetDirectory(),
  ]);
  const path = join(root, "project");
  await mkdir(path);
  const write = async (more: Texts): Promise<void> => {
    for (const [name, text] of Object.entries(more)) {
      await mkdir(dirname(join(path, name)), { recursive: true });
      await writeFile(join(path, name), text);
    }
  };
  const lockNames = async (): Promise<readonly string[]> =>
    (await readdir(path, { recursive: true })).filter((name) =>
      name.endsWith("packages.lock.json"),
    );
  await write(files);
  return {
    path,
    write,
    dotnet: async (...args) => {
      const env = { PATH: process.env.PATH ?? "", HOME: root, TMPDIR: root, ...QUIET };
      return outputOf(join(bin, "dotnet"), args, { cwd: path, env });
    },
    locks: async () => {
      const names = await lockNames();
      return Object.fromEntries(
        await Promise.all(
          names.map(async (name) => [name, await readFile(join(path, name), "utf8")] as const),
        ),
      );
    },
    removeLocks: async () => {
      for (const name of await lockNames()) await rm(join(path, name));
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const QUIET = {
  DOTNET_CLI_TELEMETRY_OPTOUT: "1",
  DOTNET_SKIP_FIRST_TIME_EXPERIENCE: "1",
  DOTNET_NOLOGO: "1",
  MSBUILDDISABLENODEREUSE: "1",
};

/** What a C# program with NuGet's libraries writes; its argument is the name of a file with `lines`, and it reads no other. */
export const askNuget = async (
  program: string,
  lines: readonly string[],
): Promise<readonly string[]> =>
  answer([await dotnetDirectory(), program, lines], () => runInNuget(program, lines));

/** The same for a program that reads other files. */
export async function runInNuget(
  program: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const sdk = join(await dotnetDirectory(), "..", "package");
  const [tools, runtime] = await Promise.all([only(sdk, "sdk"), only(sdk, RUNTIME)]);
  await using folder = await dotnetFolder({
    "Program.cs": program,
    "Program.runtimeconfig.json": JSON.stringify({
      runtimeOptions: {
        framework: { name: "Microsoft.NETCore.App", version: basename(runtime) },
      },
    }),
    input: lines.join("\n"),
  });
  const libraries = [
    ...(await named(tools, LIBRARIES)),
    ...(await named(runtime, /^(?:System|netstandard)(?!.*Native).*\.dll$/)),
  ];
  const compiler = join(tools, "Roslyn", "bincore", "csc.dll");
  const references = libraries.map((path) => `-r:${path}`);
  await folder.dotnet(compiler, "-nologo", "-out:Program.dll", ...references, "Program.cs");
  for (const path of await named(tools, LIBRARIES))
    await symlink(path, join(folder.path, basename(path)));
  return (await folder.dotnet("exec", "Program.dll", "input")).trimEnd().split("\n");
}

const LIBRARIES = /^(?:NuGet\..*|Newtonsoft\.Json)\.dll$/;
const RUNTIME = join("shared", "Microsoft.NETCore.App");

/** The only installed version. */
async function only(sdk: string, kind: string): Promise<string> {
  const [version = ""] = await readdir(join(sdk, kind));
  return join(sdk, kind, version);
}

const named = async (directory: string, pattern: RegExp): Promise<readonly string[]> =>
  (await readdir(directory))
    .filter((name) => pattern.test(name))
    .map((name) => join(directory, name));
