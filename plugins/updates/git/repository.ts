/** A local repository, bare or not: every read and every change of it. */

import { UpdatesError } from "../errors.js";
import { git } from "./git.js";
import { ObjectReader } from "./objects.js";
import { commitIn, type RawCommit, treeEntries } from "./parse.js";

export interface GitTreeEntry {
  readonly path: string;
  /** `100644`, `100755`, `120000`, or `160000` for a submodule. */
  readonly mode: string;
  readonly sha: string;
}

/** A change in a commit: a file's content, its removal, or a submodule's commit. */
export type TreeChange =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly content: Uint8Array;
      readonly mode?: string;
    }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "submodule"; readonly path: string; readonly sha: string };

export interface Signature {
  readonly name: string;
  readonly email: string;
  /** Seconds since the epoch. */
  readonly at: number;
}

export interface NewCommit {
  /** Set to the commit, whatever its previous value. */
  readonly ref: string;
  /** The sha of the only parent. */
  readonly parent: string;
  readonly changes: readonly TreeChange[];
  readonly message: string;
  readonly author: Signature;
}

/** One step of a ref transaction. `from`: the expected value; absent if the ref must not exist. */
export interface RefStep {
  readonly ref: string;
  readonly from: string | undefined;
  /** Absent: the ref is deleted. */
  readonly to: string | undefined;
}

const nothing = "0".repeat(40);

export class Repository {
  readonly directory: string;
  readonly #objects: ObjectReader;

  constructor(directory: string) {
    this.directory = directory;
    this.#objects = new ObjectReader(directory);
  }

  /** The commit of a ref; `undefined` if there is no such ref. */
  async resolve(ref: string): Promise<string | undefined> {
    return (await this.#objects.read(`${ref}^{commit}`))?.sha;
  }

  /** The branch in `HEAD`, with or without commits. */
  async defaultBranch(): Promise<string> {
    const args = ["symbolic-ref", "--quiet", "--short", "HEAD"];
    const { code, stdout } = await git(this.directory, args, { answers: [0, 1] });
    return code === 0 ? stdout.toString("utf8").trim() : "main";
  }

  /** All entries of a commit, submodules included, in git's order. */
  tree(commit: string): Promise<readonly GitTreeEntry[]> {
    return this.#below(`${commit}^{tree}`, "");
  }

  async #below(name: string, folder: string): Promise<readonly GitTreeEntry[]> {
    const found = await this.#objects.read(name);
    if (!found) throw new UpdatesError("git_failed", `${this.directory} has no tree ${name}.`);
    const parts = treeEntries(found).map(({ mode, name: last, sha }) => {
      const path = `${folder}${last}`;
      return mode === "40000" ? this.#below(sha, `${path}/`) : [{ path, mode, sha }];
    });
    return (await Promise.all(parts)).flat();
  }

  /** A file of a commit; `undefined` if it does not exist. */
  async read(commit: string, path: string): Promise<Buffer | undefined> {
    return (await this.#objects.read(`${commit}:${path}`))?.content;
  }

  /** Creates blobs, tree, commit and ref in one `git fast-import`. Returns the sha. */
  async commit({ ref, parent, changes, message, author }: NewCommit): Promise<string> {
    const parts: Uint8Array[] = [];
    const say = (text: string): void => {
      parts.push(Buffer.from(text));
    };
    const data = (content: Uint8Array): void => {
      say(`data ${content.length}\n`);
      parts.push(content);
      say("\n");
    };
    const stamp = `${clean(author.name)} <${clean(author.email)}> ${author.at} +0000`;
    say(`commit ${ref}\nmark :1\nauthor ${stamp}\ncommitter ${stamp}\n`);
    data(Buffer.from(message));
    say(`from ${parent}\n`);
    for (const change of changes) {
      const path = quoted(change.path);
      if (change.kind === "remove") say(`D ${path}\n`);
      else if (change.kind === "submodule") say(`M 160000 ${change.sha} ${path}\n`);
      else {
        say(`M ${change.mode ?? "100644"} inline ${path}\n`);
        data(change.content);
      }
    }
    say("\nget-mark :1\ndone\n");
    const args = ["fast-import", "--quiet", "--force", "--done", "--date-format=raw"];
    const { stdout } = await git(this.directory, args, { input: Buffer.concat(parts) });
    const sha = stdout.toString("utf8").trim();
    if (/^[0-9a-f]{40,64}$/.test(sha)) return sha;
    throw new UpdatesError("git_failed", "git fast-import did not say which commit it made.");
  }

  /** Applies all steps or none. @throws UpdatesError `moved` if a ref differs from `from` */
  async moveRefs(steps: readonly RefStep[]): Promise<void> {
    const lines = steps.map(({ ref, from, to }) =>
      to === undefined
        ? `delete ${ref}\0${from ?? ""}\0`
        : `update ${ref}\0${to}\0${from ?? nothing}\0`,
    );
    const input = `start\0${lines.join("")}prepare\0commit\0`;
    try {
      await git(this.directory, ["update-ref", "--stdin", "-z"], { input });
    } catch (thrown) {
      const [first] = steps;
      const what = `The branch ${first?.ref.replace("refs/heads/", "")} has moved.`;
      throw new UpdatesError("moved", what, { cause: thrown });
    }
  }

  /** The refs below a prefix, and their commits. */
  async refs(prefix: string): Promise<ReadonlyMap<string, string>> {
    const args = ["for-each-ref", "--format=%(refname) %(objectname)", prefix];
    const { stdout } = await git(this.directory, args);
    const lines = stdout.toString("utf8").split("\n").filter(Boolean);
    return new Map(lines.map((line) => line.split(" ") as [string, string]));
  }

  /** Whether the history of `commit` contains `ancestor`. */
  async contains(commit: string, ancestor: string): Promise<boolean> {
    const args = ["merge-base", "--is-ancestor", ancestor, commit];
    const { code } = await git(this.directory, args, { answers: [0, 1, 128] });
    return code === 0;
  }

  /** The merged tree, without a checkout; `undefined` on conflicts. */
  async mergedTree(base: string, head: string): Promise<string | undefined> {
    const args = ["merge-tree", "--write-tree", "--no-messages", base, head];
    const { code, stdout } = await git(this.directory, args, { answers: [0, 1] });
    return code === 0 ? stdout.toString("utf8").trim() : undefined;
  }

  /** A commit with two parents and no ref. @throws UpdatesError `conflict` */
  async mergeCommit(
    base: string,
    head: string,
    message: string,
    author: Signature,
  ): Promise<string> {
    const tree = await this.mergedTree(base, head);
    if (tree === undefined) {
      throw new UpdatesError("conflict", "The branch conflicts with its base.");
    }
    const identity = {
      GIT_AUTHOR_NAME: clean(author.name),
      GIT_AUTHOR_EMAIL: clean(author.email),
      GIT_AUTHOR_DATE: `${author.at} +0000`,
      GIT_COMMITTER_NAME: clean(author.name),
      GIT_COMMITTER_EMAIL: clean(author.email),
      GIT_COMMITTER_DATE: `${author.at} +0000`,
    };
    const args = ["commit-tree", "-p", base, "-p", head, "-F", "-", tree];
    const { stdout } = await git(this.directory, args, { input: message, environment: identity });
    return stdout.toString("utf8").trim();
  }

  /** The subjects of the newest commits, newest first. */
  async subjects(commit: string, limit: number): Promise<readonly string[]> {
    const subjects: string[] = [];
    const met = new Set([commit]);
    const next: RawCommit[] = [];
    const meet = async (sha: string): Promise<void> => {
      const found = await this.#objects.read(`${sha}^{commit}`);
      if (found) next.push(commitIn(found));
    };
    await meet(commit);
    while (next.length > 0 && subjects.length < limit) {
      next.sort((one, other) => one.at - other.at);
      const { subject, parents } = next.pop() as RawCommit;
      if (subject !== "") subjects.push(subject);
      for (const parent of parents) {
        if (met.has(parent)) continue;
        met.add(parent);
        await meet(parent);
      }
    }
    return subjects;
  }

  /** Stops the reading processes. */
  close(): void {
    this.#objects.close();
  }
}

/** Whether git accepts the name for a branch. */
export const isBranchName = (name: string): boolean =>
  name.length > 0 &&
  name.length <= 200 &&
  !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|\/\.|[/.]$|\.lock(\/|$)|^@$/.test(name);

/** Removes characters that would end a name or an address in a commit. */
const clean = (text: string): string => text.replace(/[<>\p{Cc}]/gu, "").trim() || "unknown";

const quoted = (path: string): string =>
  `"${path.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
