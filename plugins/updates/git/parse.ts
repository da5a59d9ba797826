/** Parses git's tree and commit objects. */
import type { StoredObject } from "./objects.js";

export interface RawEntry {
  /** `100644`, or `40000` for a tree. */
  readonly mode: string;
  readonly name: string;
  readonly sha: string;
}

export function treeEntries({ sha, content }: StoredObject): readonly RawEntry[] {
  const width = sha.length / 2;
  const entries: RawEntry[] = [];
  for (let at = 0; at < content.length; ) {
    const space = content.indexOf(0x20, at);
    const zero = content.indexOf(0, space);
    entries.push({
      mode: content.toString("latin1", at, space),
      name: content.toString("utf8", space + 1, zero),
      sha: content.toString("hex", zero + 1, zero + 1 + width),
    });
    at = zero + 1 + width;
  }
  return entries;
}

export interface RawCommit {
  readonly parents: readonly string[];
  /** The committer's time, in seconds since the epoch. */
  readonly at: number;
  /** The first paragraph, on one line. */
  readonly subject: string;
}

export function commitIn({ content }: StoredObject): RawCommit {
  const text = content.toString("utf8");
  const end = text.indexOf("\n\n");
  const head = end === -1 ? text : text.slice(0, end);
  const message = end === -1 ? "" : text.slice(end + 2).replace(/^\n+/, "");
  const [, at = "0"] = /^committer .*> (\d+) [-+]\d+$/m.exec(head) ?? [];
  return {
    parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map(([, sha = ""]) => sha),
    at: Number(at),
    subject: (message.split(/\n\s*\n/)[0] ?? "").trim().replace(/\s*\n\s*/g, " "),
  };
}
