/** Files that exist while a command runs. */
import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginContext, Secret } from "reeve/plugin";
import { FILES, type HookCommand, isSecret } from "../decide/command.js";
import type { RunIdentity } from "./identity.js";
import { ownPrefix, privateFilesDirectory } from "./private-files.js";

export interface Passed extends Pick<HookCommand, "argv" | "env"> {
  remove(): Promise<void>;
}

/** Writes them to a directory that only the command's user may enter. */
export async function writeRequestFiles(
  { argv, env, files = {} }: HookCommand,
  directories: Pick<PluginContext["directories"], "state" | "temporary">,
  identity: RunIdentity | undefined,
): Promise<Passed> {
  const make = async () => mkdtemp(await prefixFor(directories, identity));
  // Another instance may remove the parent directory between two steps.
  const directory = await make().catch(make);
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

async function prefixFor(
  { state, temporary }: Pick<PluginContext["directories"], "state" | "temporary">,
  identity: RunIdentity | undefined,
): Promise<string> {
  if (!identity) return join(temporary, "reeve-run-");
  const room = await privateFilesDirectory(state);
  return room === undefined ? join(tmpdir(), "reeve-run-") : join(room, await ownPrefix());
}
