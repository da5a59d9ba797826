/** What became of a release, counted where it can be seen: in the records of pull requests, and in the refs and commits of each repository. */
import type { Daemon, Scene } from "./scene.js";

export interface Pull {
  readonly number: number;
  readonly state: "open" | "merged" | "closed";
  readonly repo: string;
  readonly title: string;
}

/** All that move to `version`, whatever became of them. */
export async function pullsTo({ ask }: Daemon, version: string): Promise<readonly Pull[]> {
  const { pulls } = (await ask("GET", "/v1/updates/pulls?limit=5000")) as {
    pulls: readonly Pull[];
  };
  return pulls.filter(({ title }) => title.endsWith(` ${version}`));
}

/** Of each repository one line; of one whose update was done once it is `open once` or `merged once`. */
export async function effectsOf(
  { git }: Scene,
  daemon: Daemon,
  { names, version }: { readonly names: readonly string[]; readonly version: string },
): Promise<readonly string[]> {
  const pulls = await pullsTo(daemon, version);
  const lines: string[] = [];
  for (const name of names) {
    const own = pulls.filter(({ repo }) => repo === `acme/${name}`);
    const [pull] = own;
    const all = await git(name, "for-each-ref", "--format=%(objectname) %(refname)");
    const refs = all.split("\n").map((line) => line.split(" ") as [sha: string, ref: string]);
    const branches = refs.filter(([, ref]) => ref.startsWith("refs/heads/dependabot/"));
    const drafts = refs.filter(([, ref]) => ref.startsWith("refs/reeve/"));
    const head = refs.find(([, ref]) => ref === `refs/pull/${pull?.number}/head`)?.[0] ?? "none";
    const isMerged = pull?.state === "merged";
    const tip = isMerged ? "main" : (branches[0]?.[0] ?? "none");
    const [commits, manifest, sha] = await Promise.all([
      git(name, "log", "--format=%s", `--grep=to ${version}$`, "--all").catch(String),
      git(name, "show", `${tip}:package.json`).catch(String),
      git(name, "rev-parse", tip).catch(String),
    ]);
    const isOnce =
      own.length === 1 &&
      commits.split("\n").length === 1 &&
      branches.length === (isMerged ? 0 : 1) &&
      drafts.length === 0 &&
      sha === head &&
      manifest.includes(`"left-foo": "${version}"`);
    const found = [commits, ...refs.map(([, ref]) => ref)].join(", ");
    const states = own.map(({ state }) => state).join(" and ");
    lines.push(isOnce ? `${states} once` : `${states || "none"}: ${found}`);
  }
  return lines;
}
