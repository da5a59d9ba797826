/** Archives for `tar`, which makes in one process what Node has no calls for: pax(5), POSIX.1-2017. */

export type ArchiveEntry =
  /** A character device of number 0, by which overlayfs says that the layers below lack a name. */
  | { readonly kind: "removal" }
  /** Empty. */
  | {
      readonly kind: "file" | "directory";
      readonly mode: number;
      readonly uid: number;
      readonly gid: number;
      /** Nanoseconds since the epoch. */
      readonly mtimeNs: bigint;
    };

const block = 512;
const second = 1_000_000_000n;
const types = { extended: "x", file: "0", removal: "3", directory: "5" } as const;

/** Each entry has its whole path and, apart from removals, its time in a header of extended records. */
export function archiveOf(
  entries: ReadonlyArray<readonly [path: string, entry: ArchiveEntry]>,
): Buffer {
  const blocks = entries.flatMap(([path, entry]) => {
    const time = entry.kind === "removal" ? [] : [record("mtime", decimal(entry.mtimeNs))];
    const records = Buffer.concat([record("path", path), ...time]);
    const filling = Buffer.alloc((block - (records.length % block)) % block);
    const owner = entry.kind === "removal" ? { mode: 0o600, uid: 0, gid: 0 } : entry;
    return [
      header(types.extended, { mode: 0o600, uid: 0, gid: 0 }, records.length),
      records,
      filling,
      header(types[entry.kind], owner, 0),
    ];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * block)]);
}

interface Owner {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** Most entries differ in nothing that a header has. */
const headers = new Map<string, Buffer>();

function header(type: string, owner: Owner, size: number): Buffer {
  const key = [type, owner.mode, owner.uid, owner.gid, size].join(" ");
  const made = headers.get(key) ?? newHeader(type, owner, size);
  headers.set(key, made);
  return made;
}

function newHeader(type: string, { mode, uid, gid }: Owner, size: number): Buffer {
  const made = Buffer.alloc(block);
  const put = (text: string, at: number) => made.write(text, at, "latin1");
  const octal = (value: number, length: number, at: number) =>
    put(`${value.toString(8).padStart(length - 1, "0")}\0`, at);
  put("entry", 0);
  octal(mode, 8, 100);
  octal(uid, 8, 108);
  octal(gid, 8, 116);
  octal(size, 12, 124);
  octal(0, 12, 136);
  put(" ".repeat(8), 148);
  put(type, 156);
  put("ustar\x0000", 257);
  octal(0, 8, 329);
  octal(0, 8, 337);
  let sum = 0;
  for (const byte of made) sum += byte;
  octal(sum, 7, 148);
  return made;
}

/** Begins with its own length, which the digits of that length are part of. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.from(` ${key}=${value}\n`);
  let length = rest.length + 1;
  while (`${length}`.length + rest.length !== length) length = `${length}`.length + rest.length;
  return Buffer.concat([Buffer.from(`${length}`), rest]);
}

/** In seconds. */
function decimal(nanoseconds: bigint): string {
  const whole = nanoseconds / second;
  return `${whole}.${(nanoseconds % second).toString().padStart(9, "0")}`;
}
