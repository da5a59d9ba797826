// pnpm 12, a native program per platform. As a dependency it would list platform packages that some registries lack. Run as a
// program, this prints its directory.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { asProgram, fetchOnce, unpackPackage } from "./fetched-tools.mjs";

const VERSION = "12.21.0";
const SHA512 = {
  pnpm: "Zv2CeO4ok1zpUXktNDZ/869cQyonVkRYIwKVM4NbjaUpu+C+UTCv1W7QcT+4eJ5Hutgtk71a4v5UsVVi1idu8A==",
  "@pnpm/exe.linux-x64":
    "8eufCjHXspKbNS/kh8q4Q0gqJoOuvC4Q5pgos6XS8By/nAMtP+jf8F1Cw9er840kfAX+PJ/ts+A9qnLE91rvXQ==",
  "@pnpm/exe.linux-arm64":
    "4Oj/iF2TDCe2lcH0n4TupPR5sSdrNLclJB6xBElLMPCUOAvBhdf2rRlSaO5M4erJ6g4Fyy7YTXTpcmfFsKyxEA==",
};

/** Returns the directory with both packages, each under its own name. */
export const pnpm12 = () =>
  fetchOnce(`pnpm-${VERSION}`, (directory) => {
    for (const name of ["pnpm", `@pnpm/exe.${process.platform}-${process.arch}`]) {
      const place = join(directory, name);
      mkdirSync(place, { recursive: true });
      const tar = ["--strip-components=1"];
      unpackPackage({ name, version: VERSION, sha512: SHA512[name], tar }, place);
    }
  });

asProgram(import.meta.url, pnpm12);
