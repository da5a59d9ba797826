/** A Cargo.toml, and an index that has 40 versions of everything. */
import { names, type Specimen, VERSIONS } from "../specimen.js";

export const cargoManifest = (count: number): string =>
  `[package]\nname = "app"\nversion = "0.1.0"\n\n[dependencies]\n${names(count)
    .map((name, index) =>
      index % 2 ? `${name} = "=1.0.0"\n` : `${name} = { version = "=1.0.0", features = [] }\n`,
    )
    .join("")}`;

export const cargo: Specimen = {
  manager: "cargo",
  files: (count) => ({ "Cargo.toml": cargoManifest(count) }),
  answer: (url) =>
    VERSIONS.map((vers) =>
      JSON.stringify({ name: url.split("/").at(-1), vers, deps: [], cksum: "", yanked: false }),
    ).join("\n"),
};
