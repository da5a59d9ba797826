/** Mix and Hex themselves, in a temporary directory. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { answer, identity, type Served } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import { hexPublicKey } from "./hex-package.js";

const script = fileURLToPath(new URL("../../../../scripts/elixir-hex.mjs", import.meta.url));

let archives: Promise<string> | undefined;
/** The value of `MIX_ARCHIVES` with which Mix finds Hex. */
export const hexArchives = (): Promise<string> => {
  archives ??= outputOf(process.execPath, [script]);
  return archives;
};

type FileTexts = Readonly<Record<string, string>>;

export interface MixDirectory extends AsyncDisposable {
  /** @throws Error with the output where the command fails */
  mix(...argv: readonly string[]): Promise<void>;
  write(files: FileTexts): Promise<void>;
  read(name: string): Promise<string>;
}

/** A project for Mix with Hex, which uses the registry at `url` and verifies its signatures. */
export async function mixDirectory(url: string, files: FileTexts): Promise<MixDirectory> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-mix-"));
  const repo = `#{public_key => <<${JSON.stringify(hexPublicKey())}>>, url => <<"${url}">>}`;
  const env = {
    ...{ PATH: process.env.PATH, HOME: directory, LANG: "C.UTF-8" },
    MIX_ARCHIVES: await hexArchives(),
  };
  const write = async (texts: FileTexts): Promise<void> => {
    for (const [name, text] of Object.entries(texts)) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
  };
  await write({ ...files, ".hex/hex.config": `{'$repos', #{<<"hexpm">> => ${repo}}}.\n` });
  return {
    mix: async (...argv) => {
      await outputOf("mix", [...argv], { cwd: directory, env });
    },
    write,
    read: (name) => readFile(join(directory, name), "utf8"),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** The files of a project after these commands, with the lock. @throws as the commands */
export async function mixed(
  { url, published }: Served,
  files: FileTexts,
  ...commands: readonly (readonly string[])[]
): Promise<FileTexts> {
  const inputs = [identity("mix"), await hexArchives(), published, files, commands];
  return answer(inputs, () => filesAfter(url, files, commands), url);
}

async function filesAfter(
  url: string,
  files: FileTexts,
  commands: readonly (readonly string[])[],
): Promise<FileTexts> {
  await using directory = await mixDirectory(url, files);
  for (const command of commands) await directory.mix(...command);
  const names = new Set([...Object.keys(files), "mix.lock"]);
  const read = await Promise.all(
    [...names].map(async (name) => [name, await directory.read(name).catch(() => "")] as const),
  );
  return Object.fromEntries(read.filter(([, text]) => text !== ""));
}

/** The output of an Elixir script, which may use the modules of Hex. */
export async function elixir(code: string): Promise<string> {
  const all = await hexArchives();
  return answer([identity("elixir"), all, code], () => outputOfElixir(all, code));
}

async function outputOfElixir(all: string, code: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-elixir-"));
  try {
    await writeFile(join(directory, "code.exs"), code);
    const env = { PATH: process.env.PATH, HOME: directory, LANG: "C.UTF-8" };
    const argv = ["-pa", join(all, "*/*/ebin"), "code.exs"];
    return await outputOf("elixir", argv, { cwd: directory, env });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
