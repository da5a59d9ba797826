/** Downloads a package manager from the registry into the directory of tools. Runs in a worker thread and executes nothing. */

import { createHash } from "node:crypto";
import { access, chmod, mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isSea } from "node:sea";
import pacote from "pacote";
import { UpdatesError } from "../../../errors.js";
import type { FetchedTool, ToolJob } from "../contract.js";
import { registryOptions } from "./options.js";

/** @throws UpdatesError `tool_missing` where the registry has no such package, or it is not what the repository says */
export async function fetchTool(job: ToolJob): Promise<FetchedTool> {
  try {
    const version = await versionOf(job);
    const packageDirectory = await fetchPackage(job, job.name, version, (directory) =>
      verify(job, version, directory),
    );
    return { version, ...(await commandIn(job, packageDirectory, version)) };
  } catch (cause) {
    if (cause instanceof UpdatesError) throw cause;
    const [why = ""] = (cause as Error).message.split("\n");
    throw new UpdatesError("tool_missing", `${job.name} ${job.range} cannot be had: ${why}`, {
      cause,
    });
  }
}

const options = ({ registry, credentials, cache }: ToolJob) => ({
  ...registryOptions({ registries: { "": registry }, credentials }),
  registry: `${registry}/`,
  cache,
  ignoreScripts: true,
  fetchRetries: 1,
});

/** An exact version that is already downloaded needs no registry. */
async function versionOf(job: ToolJob): Promise<string> {
  if (/^\d+\.\d+\.\d+/.test(job.range) && !/\s/.test(job.range)) return job.range;
  return (await pacote.manifest(`${job.name}@${job.range}`, options(job))).version;
}

/** The package's directory, downloaded and verified if it is missing. Concurrent calls are safe. */
async function fetchPackage(
  job: ToolJob,
  name: string,
  version: string,
  check: (directory: string) => Promise<void>,
): Promise<string> {
  const packageDirectory = join(job.directory, `${name.replace("/", "+")}@${version}`);
  if (!(await exists(join(packageDirectory, "package.json")))) {
    await mkdir(job.directory, { recursive: true });
    const fresh = await mkdtemp(join(job.directory, ".new-"));
    try {
      await pacote.extract(`${name}@${version}`, fresh, options(job));
      await rename(fresh, packageDirectory).catch(async (thrown) => {
        if (!(await exists(join(packageDirectory, "package.json")))) throw thrown;
      });
    } finally {
      await rm(fresh, { recursive: true, force: true });
    }
  }
  await check(packageDirectory);
  return packageDirectory;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** @throws UpdatesError `tool_missing` where the digest is another than the repository says */
async function verify(job: ToolJob, version: string, directory: string): Promise<void> {
  const [, algorithm, wanted] = /^(sha\d+)\.([0-9a-f]+)$/i.exec(job.digest ?? "") ?? [];
  if (algorithm === undefined || wanted === undefined) return;
  const bytes =
    job.hashed === undefined
      ? await pacote.tarball(`${job.name}@${version}`, { ...options(job), preferOffline: true })
      : await readFile(join(directory, job.hashed));
  if (createHash(algorithm).update(bytes).digest("hex") === wanted.toLowerCase()) return;
  throw new UpdatesError(
    "tool_missing",
    `${job.name} ${version} is not what \`packageManager\` says: its ${algorithm} differs.`,
  );
}

/** Makes the single executable start a script as Node does. */
const asModule = isSea() ? ["env", "REEVE_MODULE=1"] : [];

/** The command: a script for Node, or the native program of a platform package. */
async function commandIn(
  job: ToolJob,
  packageDirectory: string,
  version: string,
): Promise<Required<Pick<FetchedTool, "argv" | "directory">>> {
  const { bin, optionalDependencies = {} } = JSON.parse(
    await readFile(join(packageDirectory, "package.json"), "utf8"),
  ) as { bin?: Record<string, string>; optionalDependencies?: Record<string, string> };
  const script = bin?.[job.command] ?? "";
  if (/\.[cm]?js$/.test(script)) {
    return {
      argv: [...asModule, process.execPath, join(packageDirectory, script)],
      directory: packageDirectory,
    };
  }
  const native = Object.keys(optionalDependencies).find((name) => isFor(machine(), name));
  if (native === undefined)
    throw new UpdatesError("tool_missing", `${job.name} ${version} is not made for this machine.`);
  const directory = await fetchPackage(job, native, version, async () => undefined);
  const below = join(directory, "bin", job.command);
  const program = (await exists(below)) ? below : join(directory, job.command);
  await chmod(program, 0o755);
  return { argv: [program], directory };
}

/** `@pnpm/exe.linux-arm64`, `@oven/bun-linux-aarch64`. */
const isFor = (machine: string, name: string): boolean =>
  [machine, machine.replace("arm64", "aarch64")].some(
    (each) => name.endsWith(`.${each}`) || name === `@oven/bun-${each}`,
  );

function machine(): string {
  const { platform, arch } = process;
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const isMusl = platform === "linux" && header.glibcVersionRuntime === undefined;
  return `${platform}-${arch}${isMusl ? "-musl" : ""}`;
}
