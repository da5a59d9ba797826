/** Packages in registry format. */
import { gzipSync } from "node:zlib";

/** A gzipped tar with everything under `package/`, as npm creates it, or another directory. */
export const tarball = (files: Readonly<Record<string, string>>, folder = "package"): Buffer =>
  gzipSync(
    tar(
      Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text] as const),
      ),
    ),
  );

export function tar(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const parts = Object.entries(files).flatMap(([name, content]) => {
    const body = Buffer.from(content);
    const padding = Buffer.alloc((512 - (body.length % 512)) % 512);
    return [header(name, body.length), body, padding];
  });
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(512);
  const octal = (value: number, width: number): string =>
    `${value.toString(8).padStart(width - 1, "0")}\0`;
  block.write(name, 0);
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(size, 12), 124);
  block.write(octal(499162500, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}
