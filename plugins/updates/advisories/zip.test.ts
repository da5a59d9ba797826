/** Zips of any writer are read in chunks. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { Zip, ZipDeflate, ZipPassThrough, zipSync } from "fflate";
import { eachInZip } from "./zip.js";

/** Several pieces of a file long, with letters of several bytes across their borders. */
const files: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 300 }, (_, path) => [
    `X-${path}.json`,
    `${path} ☃${"größer 🎉 ".repeat(path)}${Math.sin(path)}`,
  ]),
);
const bytes = (): Record<string, Uint8Array> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)]));

/** Sizes and sums behind each file, as writers do that do not look back. */
function streamed(): Uint8Array {
  const pieces: Uint8Array[] = [];
  const zip = new Zip((_error, piece) => pieces.push(piece));
  for (const [index, [name, data]] of Object.entries(bytes()).entries()) {
    const entry = index % 2 === 0 ? new ZipDeflate(name) : new ZipPassThrough(name);
    zip.add(entry);
    entry.push(data, true);
  }
  zip.end();
  return Buffer.concat(pieces);
}

async function read(t: ExecutionContext, zip: Uint8Array): Promise<Record<string, string>> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-zip-"));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, "all.zip"), zip);
  const found: Record<string, string> = {};
  await eachInZip(join(directory, "all.zip"), (name, text) => {
    found[name] = text;
  });
  return found;
}

const writers: Readonly<Record<string, () => Uint8Array>> = {
  "packed as a whole": () => zipSync(bytes()),
  "not packed": () => zipSync(bytes(), { level: 0 }),
  "written in one go": streamed,
  empty: () => zipSync({}),
};
for (const [what, write] of Object.entries(writers))
  test(`a zip ${what} is read`, async (t) => {
    t.deepEqual(await read(t, write()), what === "empty" ? {} : files);
  });

for (const [what, zip] of [
  ["no zip", Buffer.from("nothing")],
  ["nothing at all", Buffer.alloc(0)],
  ["cut off", zipSync(bytes()).subarray(0, 5_000)],
] as const)
  test(`${what} is reported`, async (t) => {
    await t.throwsAsync(read(t, zip), {
      message: /^(the file is no zip|the file is truncated|invalid zip data)$/,
    });
  });
