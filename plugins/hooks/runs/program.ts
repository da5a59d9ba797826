/** Checks hooks' programs when a configuration is prepared, not at the first request. */
import { access, constants } from "node:fs/promises";
import { delimiter, join, resolve } from "node:path";
import type { CommandBlock } from "../blocks/blocks.js";

/** Caches each program; for one attempt. */
export class Programs {
  readonly #configuration: string;
  readonly #known = new Map<string, string | undefined>();

  /** `configuration`: the default working directory. */
  constructor(configuration: string) {
    this.#configuration = configuration;
  }

  /** The problem with the hook's program; `undefined` if it exists, or depends on the request. A promise the first time. */
  problem({ values }: CommandBlock): string | undefined | Promise<string | undefined> {
    const [program] = values.run ?? [];
    const outcome = program?.constant ? program.evaluate({}) : undefined;
    if (outcome?.kind !== "value") return undefined;
    const name = String(outcome.value);
    if (!name.includes("/")) {
      return "PATH" in values.env ? undefined : this.#once(name, () => inPath(name));
    }
    const path = resolve(values.cwd ?? this.#configuration, name);
    return this.#once(path, () => atPath(path, name));
  }

  #once(key: string, ask: () => Promise<string | undefined>): ReturnType<Programs["problem"]> {
    return this.#known.has(key) ? this.#known.get(key) : this.#ask(key, ask);
  }

  async #ask(key: string, ask: () => Promise<string | undefined>): Promise<string | undefined> {
    const answer = await ask();
    this.#known.set(key, answer);
    return answer;
  }
}

async function atPath(path: string, name: string): Promise<string | undefined> {
  const missing = await whyMissing(path);
  if (missing === "ENOENT") return `there is no \`${name}\``;
  return missing === "EACCES" ? `\`${name}\` cannot be executed` : undefined;
}

async function inPath(name: string): Promise<string | undefined> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  for (const folder of folders) {
    const missing = await whyMissing(join(folder, name));
    // As execvp(3) searches: what may not be searched or executed is passed over.
    if (missing !== "ENOENT" && missing !== "EACCES") return undefined;
  }
  return folders.length === 0 ? undefined : `there is no \`${name}\` in the daemon's PATH`;
}

/** The error code; others than those checked here appear when the command runs. */
async function whyMissing(path: string): Promise<string | undefined> {
  try {
    await access(path, constants.X_OK);
    return undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    return code === "ENOTDIR" ? "ENOENT" : code;
  }
}
