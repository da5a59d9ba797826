/** Files that are there while a command runs. */
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Secret } from "reeve/plugin";
import { type Command, FILES, isSecret } from "../decide/command.js";
import type { Identity } from "./identity.js";

export interface Passed extends Pick<Command, "argv" | "env"> {
  remove(): Promise<void>;
}

/** In a directory that only whoever runs the command may enter, below `temporary` where that is the daemon itself. */
export async function passFiles(
  { argv, env, files = {} }: Command,
  temporary: string,
  identity: Identity | undefined,
): Promise<Passed> {
  const directory = await mkdtemp(join(identity ? tmpdir() : temporary, "reeve-run-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    for (const [name, content] of Object.entries(files)) {
      const path = join(directory, name);
      await writeFile(path, isSecret(content) ? content.reveal() : content, { mode: 0o600 });
      if (identity) await chown(path, identity.uid, identity.gid);
    }
    await chmod(directory, 0o700);
    if (identity) await chown(directory, identity.uid, identity.gid);
  } catch (thrown) {
    await remove();
    throw thrown;
  }
  const placed = <Value extends string | Secret>(value: Value): Value | string =>
    typeof value === "string" ? value.replaceAll(FILES, directory) : value;
  return {
    argv: argv.map(placed),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, placed(value)])),
    remove,
  };
}
