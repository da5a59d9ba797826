/** Compiled code, kept between starts: a third of the time of a start is compiling. */
import { homedir } from "node:os";
import { join } from "node:path";

/**
 * Keeps it in a directory of the user's own: what lies there is run. Nothing is kept, and nothing is said, where there
 * is none or it cannot be written.
 */
export async function keepCompiledCode(): Promise<void> {
  const directory = directoryFor(process.env, process.getuid?.());
  if (directory === undefined || process.env.NODE_DISABLE_COMPILE_CACHE) return;
  const { enableCompileCache } = await import("node:module");
  enableCompileCache(directory);
}

/** systemd names a directory for the service; root has the system's; everybody else has one of their own. */
export function directoryFor(
  environment: NodeJS.ProcessEnv,
  uid: number | undefined,
): string | undefined {
  const { CACHE_DIRECTORY, XDG_CACHE_HOME } = environment;
  if (CACHE_DIRECTORY?.startsWith("/")) return join(CACHE_DIRECTORY.split(":")[0] ?? "", "code");
  if (uid === 0) return "/var/cache/reeve/code";
  if (XDG_CACHE_HOME?.startsWith("/")) return join(XDG_CACHE_HOME, "reeve", "code");
  const home = homedir();
  return home === "" || home === "/" ? undefined : join(home, ".cache", "reeve", "code");
}
