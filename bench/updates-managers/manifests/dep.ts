/** A Gopkg.toml, and repositories with 40 tags. */
import { names, type Specimen, VERSIONS } from "../specimen.js";

export const dep: Specimen = {
  manager: "dep",
  files: (count) => ({
    "Gopkg.toml": names(count)
      .map((name) => `[[constraint]]\n  name = "github.com/acme/${name}"\n  version = "1.0.0"\n`)
      .join(""),
  }),
  references: VERSIONS.map((version) => ({ name: `refs/tags/v${version}`, oid: "a".repeat(40) })),
};
