/** Common steps of end-to-end tests from a release to a clone. */
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { type Checkout, git, type UpdatesFixture } from "./fixture.js";
import type { Forge } from "./forge.js";

/** Announces a release. */
export const notify = (
  at: UpdatesFixture,
  manager: string,
  name: string,
  version?: string,
): Promise<unknown> =>
  at.send("POST", "/release_notifications/private", {
    ...{ name, "package-manager": manager },
    ...(version === undefined ? {} : { version }),
  });

/** A clone of the default branch, made with the token. */
export async function cloned(
  t: ExecutionContext,
  at: UpdatesFixture,
  repo: Checkout,
): Promise<string> {
  const checkout = join(at.folder, `clone-${repo.id}`);
  const name = repo.directory.split("/").at(-1);
  const address = `${at.url.replace("://", `://ada:${at.token}@`)}/git/acme/${name}.git`;
  await rm(checkout, { recursive: true, force: true });
  await git(at.folder, "clone", "--quiet", address, checkout);
  t.true((await stat(checkout)).isDirectory());
  return checkout;
}

/** A configuration that merges what the rule allows. */
export const rules = (manager: string, rule = "semver:patch") => ({
  ...{ "package-manager": manager, "automerge-rule-runtime-deps": rule },
});

/** All files of a new clone. */
export async function clonedFiles(
  t: ExecutionContext,
  at: UpdatesFixture,
  repo: Checkout,
): Promise<Readonly<Record<string, string>>> {
  const checkout = await cloned(t, at, repo);
  const entries = await readdir(checkout, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(checkout.length + 1))
    .filter((path) => !path.startsWith(".git/"));
  return Object.fromEntries(
    await Promise.all(
      files.map(async (path) => [path, await readFile(join(checkout, path), "utf8")] as const),
    ),
  );
}

/** Creates releases on a code host: an empty commit and a tag. */
export async function releasing({
  git: run,
}: Pick<Forge, "git">): Promise<(tag: string) => Promise<string>> {
  const tree = await run("hash-object", "-t", "tree", "-w", "/dev/null");
  const identity = ["-c", "user.name=A", "-c", "user.email=a@example.test"];
  return async (tag) => {
    const commit = await run(...identity, "commit-tree", "-m", tag, tree);
    await run("update-ref", `refs/tags/${tag}`, commit);
    return commit;
  };
}
