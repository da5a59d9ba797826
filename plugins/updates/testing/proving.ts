/** What the end-to-end proofs of package managers have in common: an announcement, rules, a fresh clone. */
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { type Checkout, git, type House } from "./house.js";

export const announce = (
  at: House,
  manager: string,
  name: string,
  version?: string,
): Promise<unknown> =>
  at.send("POST", "/release_notifications/private", {
    ...{ name, "package-manager": manager },
    ...(version === undefined ? {} : { version }),
  });

/** A configuration of this manager that merges what `rule` allows. */
export const merging = (manager: string, rule = "semver:patch") => ({
  ...{ "package-manager": manager, "automerge-rule-runtime-deps": rule },
});

/** All files of a fresh clone of the default branch, as anybody with the token makes it. */
export async function clonedFiles(
  at: House,
  repo: Checkout,
): Promise<Readonly<Record<string, string>>> {
  const place = join(at.folder, `clone-${repo.id}`);
  const name = repo.directory.split("/").at(-1);
  const address = `${at.url.replace("://", `://ada:${at.token}@`)}/git/acme/${name}.git`;
  await rm(place, { recursive: true, force: true });
  await git(at.folder, "clone", "--quiet", address, place);
  const entries = await readdir(place, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .filter((path) => !path.startsWith(".git/"));
  return Object.fromEntries(
    await Promise.all(
      files.map(async (path) => [path, await readFile(join(place, path), "utf8")] as const),
    ),
  );
}
