/** Damage to files, as disks and people do it. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../runs/journal/testing/recorded-files.js";

type Injure = (bytes: Buffer, random: Random) => Buffer | undefined;

const zeros =
  (length: number): Injure =>
  (bytes, random) => {
    const at = Math.floor((random() * bytes.length) / 4096) * 4096;
    return bytes.fill(0, at, Math.min(at + length, bytes.length));
  };

const injuries: Readonly<Record<string, Injure>> = {
  "a flipped bit": (bytes, random) => {
    const at = Math.floor(random() * bytes.length);
    bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << Math.floor(random() * 8)), at);
    return bytes;
  },
  "a page of zeros": zeros(4096),
  "a block of zeros": zeros(65_536),
  "other bytes": (bytes, random) => {
    const at = Math.floor((random() * bytes.length) / 512) * 512;
    for (let index = at; index < Math.min(at + 512, bytes.length); index += 1) {
      bytes.writeUInt8(Math.floor(random() * 256), index);
    }
    return bytes;
  },
  "a cut file": (bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
  "a missing file": () => undefined,
};

export const kinds = Object.keys(injuries);

/** Damages one file below a directory. Returns its name. */
export function injure(directory: string, kind: string, random: Random): string {
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" }).filter((name) => {
    const stats = statSync(join(directory, name));
    return stats.isFile() && stats.size > 0;
  });
  const name = names[Math.floor(random() * names.length)] ?? "";
  const path = join(directory, name);
  const injured = injuries[kind]?.(readFileSync(path), random);
  if (injured === undefined) rmSync(path);
  else writeFileSync(path, injured);
  return name;
}
