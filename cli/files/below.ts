import { glob } from "node:fs/promises";

/** The `*.reeve` files below a directory, as paths relative to it, in order; not in `node_modules` or hidden directories. */
export async function filesBelow(directory: string): Promise<readonly string[]> {
  const found = await Array.fromAsync(
    glob("**/*.reeve", {
      cwd: directory,
      withFileTypes: false,
      exclude: (name) => /(^|\/)(node_modules|\.[^/.][^/]*)$/.test(name),
    }),
  );
  return found.sort();
}
