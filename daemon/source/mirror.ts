/** A bare mirror of one branch: fetched, verified and read, never checked out. */
import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { SourceRefusal, type SourceSettings } from "./contract.js";
import { type Git, remoteFailure } from "./git.js";
import { checkLink, limits, parseTree, refusePointer, type TreeEntry } from "./tree.js";

/** A commit's directory: its files with their content, by path. */
export type CommitFiles = ReadonlyMap<
  string,
  { readonly entry: TreeEntry; readonly content: Buffer }
>;

const TIP = "refs/reeve/tip";
/** Milliseconds. */
const DAY = 86_400_000;
const AHEAD = 300_000;

export class Mirror {
  readonly #git: Git;
  readonly #settings: SourceSettings;
  readonly #token: () => Promise<string | undefined>;

  constructor(git: Git, settings: SourceSettings, token: () => Promise<string | undefined>) {
    this.#git = git;
    this.#settings = settings;
    this.#token = token;
  }

  async open(): Promise<void> {
    await this.#git.prepare();
    const path = this.#git.mirror;
    if (existsSync(path)) {
      const { code } = await this.#git.run(["rev-parse", "--git-dir"]);
      if (code === 0) return;
      await this.#discard();
    }
    const { code, stderr } = await this.#git.run(["init", "--quiet", "--bare", path]);
    if (code !== 0) throw remoteFailure(stderr);
  }

  /** The newest commit of the branch, as the remote says. Writes nothing. */
  async remoteTip(): Promise<string> {
    const { url, branch } = this.#settings;
    const args = ["ls-remote", "--exit-code", "--refs", url, `refs/heads/${branch}`];
    const { code, stdout, stderr } = await this.#git.run(args, { token: await this.#token() });
    if (code === 2) throw new SourceRefusal("no_branch", `there is no branch \`${branch}\``);
    const [tip] = /^[0-9a-f]{40,64}/.exec(stdout.toString("latin1")) ?? [];
    if (code !== 0 || tip === undefined) throw remoteFailure(stderr);
    return tip;
  }

  /** Resolves with the commit that was fetched. Damaged objects are replaced by a new mirror. */
  async fetch(): Promise<string> {
    const first = await this.#fetchOnce();
    if (first.code === 0) return first.tip;
    const { code } = await this.#git.run(["fsck", "--connectivity-only", "--no-dangling"]);
    if (code === 0) throw remoteFailure(first.stderr);
    await this.#discard();
    await this.open();
    const second = await this.#fetchOnce();
    if (second.code === 0) return second.tip;
    throw remoteFailure(second.stderr);
  }

  async #fetchOnce(): Promise<{ code: number; stderr: string; tip: string }> {
    const { url, branch } = this.#settings;
    const { code, stderr } = await this.#git.run(
      [
        "fetch",
        "--quiet",
        "--no-tags",
        "--no-write-fetch-head",
        "--no-recurse-submodules",
        url,
        `+refs/heads/${branch}:${TIP}`,
      ],
      { token: await this.#token() },
    );
    if (code !== 0) return { code, stderr, tip: "" };
    const { stdout } = await this.#git.run(["rev-parse", "--verify", `${TIP}^{commit}`]);
    return { code, stderr, tip: stdout.toString("latin1").trim() };
  }

  async #contains(commit: string): Promise<boolean> {
    return (await this.#git.run(["cat-file", "-e", `${commit}^{commit}`])).code === 0;
  }

  async #isAncestor(before: string, after: string): Promise<boolean> {
    if (!(await this.#contains(before))) return false;
    return (await this.#git.run(["merge-base", "--is-ancestor", before, after])).code === 0;
  }

  /**
   * Refuses a commit that may not follow the applied one: by its history, its signature, its date. The anchor's history is
   * accepted, and so is `acceptedTip`. @throws SourceRefusal
   */
  async judge(
    tip: string,
    before: string | undefined,
    now: number,
    acceptedTip?: string,
  ): Promise<void> {
    const { anchor, history } = this.#settings;
    const accepted = tip === acceptedTip || (anchor !== undefined && tip.startsWith(anchor));
    const applied = before ?? anchor;
    const isBound = history === "forward" && !accepted && applied !== undefined;
    if (isBound && !(await this.#isAncestor(applied, tip))) {
      throw new SourceRefusal(
        "rewritten",
        `it does not descend from ${applied.slice(0, 12)}: the branch was rewritten; \`reeve source accept ${tip.slice(0, 12)}\` accepts it`,
      );
    }
    const isThere = !accepted && applied !== undefined && (await this.#contains(applied));
    await this.#verify(tip, isThere ? applied : undefined, now);
  }

  /**
   * Judged by git's exit status alone: it prints "Good signature" for unknown keys, too. The dates are compared because
   * an SSH key's validity is judged by the date that its owner wrote. @throws SourceRefusal
   */
  async #verify(commit: string, applied: string | undefined, now: number): Promise<void> {
    const { signers, revoked } = this.#settings;
    if (signers === undefined) return;
    const { code, stderr } = await this.#git.run([
      "-c",
      `gpg.ssh.allowedSignersFile=${signers}`,
      ...(revoked === undefined ? [] : ["-c", `gpg.ssh.revocationFile=${revoked}`]),
      "verify-commit",
      commit,
    ]);
    if (code !== 0) {
      const said = stderr.trim().split("\n").at(-1)?.trim() ?? "";
      const why = said === "" ? "it has no signature" : said.replace(/\.$/, "");
      throw new SourceRefusal("unsigned", `no allowed signer signed it: ${why}`);
    }
    const date = await this.#date(commit);
    const earliest = applied === undefined ? 0 : (await this.#date(applied)) - DAY;
    if (date < earliest || date > now + AHEAD) {
      const text = new Date(date).toISOString();
      throw new SourceRefusal("dated_back", `its date ${text} does not follow the applied commit`);
    }
  }

  async #date(commit: string): Promise<number> {
    const { stdout } = await this.#git.run(["show", "-s", "--format=%ct", commit]);
    return Number(stdout.toString("latin1").trim()) * 1000;
  }

  /** Reads the configured directory of a commit, and refuses what may not be written. @throws SourceRefusal */
  async files(commit: string): Promise<CommitFiles> {
    const { path } = this.#settings;
    const tree = path === "" ? `${commit}^{tree}` : `${commit}:${path}`;
    const listed = await this.#git.run(["ls-tree", "-r", "-z", "-l", "--full-tree", tree]);
    if (listed.code !== 0) {
      throw new SourceRefusal("no_path", `it has no directory \`${path}\``);
    }
    const entries = parseTree(listed.stdout);
    const { stdout } = await this.#git.run(["cat-file", "--batch"], {
      input: entries.map(({ oid }) => `${oid}\n`).join(""),
      largest: limits.bytes + entries.length * 128,
    });
    const files = new Map<string, { entry: TreeEntry; content: Buffer }>();
    let offset = 0;
    for (const entry of entries) {
      const end = stdout.indexOf(10, offset);
      const header = stdout.subarray(offset, end).toString("latin1");
      if (header !== `${entry.oid} blob ${entry.size}`) {
        throw new SourceRefusal("unreachable", `the mirror lacks the content of \`${entry.path}\``);
      }
      const content = stdout.subarray(end + 1, end + 1 + entry.size);
      offset = end + 2 + entry.size;
      if (entry.kind === "link") checkLink(entry, content.toString("utf8"));
      else refusePointer(entry, content);
      files.set(entry.path, { entry, content });
    }
    return files;
  }

  async #discard(): Promise<void> {
    const aside = `${this.#git.mirror}.damaged`;
    await rm(aside, { recursive: true, force: true });
    await rename(this.#git.mirror, aside);
    await rm(aside, { recursive: true, force: true });
  }
}
