/** What a commit's directory may contain. Pure: nothing is written before all of it is judged. */
import { posix } from "node:path";
import { SourceRefusal } from "./contract.js";

export interface TreeEntry {
  /** Relative, with `/`. */
  readonly path: string;
  readonly kind: "file" | "program" | "link";
  /** Of the blob, hexadecimal. */
  readonly oid: string;
  readonly size: number;
}

export const limits = { files: 10_000, bytes: 64 * 1024 * 1024 } as const;

/** Reads `git ls-tree -r -z -l`. @throws SourceRefusal */
export function parseTree(listing: Buffer): readonly TreeEntry[] {
  const lines = listing.toString("latin1").split("\0").filter(Boolean);
  if (lines.length > limits.files) {
    throw new SourceRefusal("too_large", `it has more than ${limits.files} files`);
  }
  const entries = lines.map(entryOf);
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > limits.bytes) throw new SourceRefusal("too_large", "it is larger than 64 MiB");
  refuseNames(entries);
  return entries;
}

function entryOf(line: string): TreeEntry {
  const [, mode, , oid = "", size, name = ""] =
    /^(\d+) (\w+) ([0-9a-f]+) +(-|\d+)\t(.*)$/s.exec(line) ?? [];
  const path = nameOf(name);
  if (mode === "160000") throw new SourceRefusal("submodule", `\`${path}\` is a submodule`);
  const kind = { "100644": "file", "100755": "program", "120000": "link" }[mode ?? ""];
  if (kind === undefined) throw new SourceRefusal("bad_name", `\`${path}\` has the mode ${mode}`);
  return { path, kind: kind as TreeEntry["kind"], oid, size: Number(size) };
}

/** Names are UTF-8 without control characters: they are shown, and compared with text. */
function nameOf(bytes: string): string {
  try {
    const name = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(bytes, "latin1"));
    if (!/\p{Cc}/u.test(name)) return name;
  } catch {
    // Refused below.
  }
  throw new SourceRefusal("bad_name", `the name ${JSON.stringify(bytes)} is not printable UTF-8`);
}

function refuseNames(entries: readonly TreeEntry[]): void {
  const seen = new Map<string, string>();
  for (const { path } of entries) {
    const parts = path.split("/");
    for (const part of parts) {
      if (/^(|\.|\.\.|git~\d+|\.git[ .]*)$/i.test(part.replace(/[\u200b-\u200f\ufeff]/g, ""))) {
        throw new SourceRefusal("bad_name", `\`${path}\` has a part that is no file name`);
      }
    }
    for (let length = 1; length <= parts.length; length += 1) {
      const part = parts.slice(0, length).join("/");
      const identity = part.normalize("NFC").toLowerCase();
      const isFile = length === parts.length;
      const named = isFile ? part : `${part}/`;
      const before = seen.get(identity);
      if (before !== undefined && (before !== named || isFile)) {
        throw new SourceRefusal("bad_name", `\`${named}\` and \`${before}\` are the same name`);
      }
      seen.set(identity, named);
    }
  }
}

/**
 * A link may lead to anything in the directory. `..` is allowed at the beginning only: after a name it could climb from
 * wherever another link leads. @throws SourceRefusal
 */
export function checkLink({ path }: TreeEntry, target: string): void {
  const parts = target.split("/").filter((part) => part !== "." && part !== "");
  const climbs = parts.findIndex((part) => part !== "..");
  const depth = path.split("/").length - 1;
  const up = climbs === -1 ? parts.length : climbs;
  const rest = parts.slice(up);
  if (posix.isAbsolute(target) || up > depth || rest.includes("..") || target.includes("\0")) {
    throw new SourceRefusal("outside", `the link \`${path}\` leads out of the directory`);
  }
}

/** A file that only names its content. @see the specification of Git LFS */
export function refusePointer({ path }: TreeEntry, content: Buffer): void {
  const start = "version https://git-lfs.github.com/spec/";
  if (content.length < 1024 && content.subarray(0, start.length).toString("latin1") === start) {
    throw new SourceRefusal("lfs", `\`${path}\` is a Git LFS pointer; its content is elsewhere`);
  }
}
