/**
 * Runs in the mount namespace of a command's run: covers each second argument with the one before it. Paths are opened
 * without following links and the mount is put on what was opened: a command that swaps a directory for a link meanwhile would have
 * a mount by name somewhere else: openat2(2), open_tree(2), move_mount(2).
 */
import { constants } from "node:fs";

/** The same on all architectures. */
const calls = { openTree: 428, moveMount: 429, openat2: 437 };
const currentDirectory = -100;
const [closeOnExec, onlyPath] = [0o2000000, 0o10000000];
const [noMagicLinks, noLinks] = [0x02n, 0x04n];
const cloneTree = 1;
/** Both ends are descriptors. */
const byDescriptors = 0x04 | 0x40;

const { default: koffi } = await import("koffi");
const call = koffi.load(null).func("long syscall(long number, ...)");

function open(path: string): number {
  const flags = BigInt(onlyPath | closeOnExec | constants.O_NOFOLLOW);
  const how = BigUint64Array.of(flags, 0n, noMagicLinks | noLinks);
  const size = ["size_t", how.byteLength] as const;
  return Number(call(calls.openat2, "int", currentDirectory, "str", path, "void *", how, ...size));
}

function cover(source: string, path: string): void {
  const target = open(path);
  if (target < 0) return;
  const flags = cloneTree | closeOnExec;
  const tree = call(calls.openTree, "int", currentDirectory, "str", source, "int", flags);
  const [from, to] = [Number(tree), target].map((descriptor) => ["int", descriptor, "str", ""]);
  call(calls.moveMount, ...(from ?? []), ...(to ?? []), "int", byDescriptors);
}

const words = process.argv.slice(2);
for (let index = 0; index + 1 < words.length; index += 2)
  cover(words[index] ?? "", words[index + 1] ?? "");
