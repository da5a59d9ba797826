// bun, a native program per platform of a hundred megabytes, which only tests need. Run as a program, this prints its directory.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { asProgram, fetchOnce, unpackPackage } from "./fetched-tools.mjs";

const VERSION = "1.4.5";
const SHA512 = {
  bun: "SWOAncfhwiqIyaZ3uyuUD/6o8aWbG8QtU6SChlz4u6U/C89gTZafLDCmbUvyNjx+ccxLLHV+lSsWqE1OBN8bBw==",
  "@oven/bun-linux-x64":
    "IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
  "@oven/bun-linux-aarch64":
    "4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
};

const machine = process.arch === "arm64" ? "aarch64" : process.arch;

/** Returns the directory with both packages, each under its own name. */
export const bun = () =>
  fetchOnce(`bun-${VERSION}`, (directory) => {
    for (const name of ["bun", `@oven/bun-${process.platform}-${machine}`]) {
      const place = join(directory, name);
      mkdirSync(place, { recursive: true });
      const tar = ["--strip-components=1"];
      unpackPackage({ name, version: VERSION, sha512: SHA512[name], tar }, place);
    }
  });

asProgram(import.meta.url, bun);
