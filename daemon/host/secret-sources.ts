/** Where secrets come from: the environment, files, and plugins that keep them. */
import { open } from "node:fs/promises";
import type { SecretResolver } from "../config/secrets.js";
import type { SecretMask } from "../services/contract.js";

/** Bytes; a larger file is not a secret. */
const LARGEST = 64 * 1024;

export interface SecretSources {
  readonly environment: NodeJS.ProcessEnv;
  readonly mask: SecretMask;
  /** Asks the plugin that is known by that name in the configuration. Rejects with a sentence. */
  ask(plugin: string, reference: string): Promise<string>;
}

/** Masks every secret it reads. */
export function secretResolver(sources: SecretSources): SecretResolver {
  return async (reference) => {
    const colon = reference.indexOf(":");
    const content = await read(reference.slice(0, colon), reference.slice(colon + 1), sources);
    sources.mask.add(content);
    return content;
  };
}

async function read(kind: string, rest: string, sources: SecretSources): Promise<string> {
  if (kind === "env") {
    const value = sources.environment[rest];
    if (value === undefined) throw new Error("the daemon's environment has no such variable");
    if (value === "") throw new Error("the variable is empty");
    return value;
  }
  return kind === "file" ? readSecretFile(rest) : sources.ask(kind, rest);
}

/** Without the line end that editors put at the end of every file. */
async function readSecretFile(path: string): Promise<string> {
  const file = await open(path, "r").catch((thrown: NodeJS.ErrnoException) => {
    throw new Error(REASONS[thrown.code ?? ""] ?? thrown.message);
  });
  try {
    const buffer = Buffer.alloc(LARGEST + 1);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0).catch((thrown) => {
      throw new Error(REASONS[thrown.code ?? ""] ?? thrown.message);
    });
    if (bytesRead > LARGEST) throw new Error("the file is larger than 64 KiB");
    const text = buffer.toString("utf8", 0, bytesRead).replace(/\r?\n$/, "");
    if (text === "") throw new Error("the file is empty");
    return text;
  } finally {
    await file.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "the file is not there",
  EACCES: "the daemon may not read the file",
  EISDIR: "it is a directory",
};
