/** A file of Terraform with a module for each name, and a registry that has 40 versions of everything. */
import { names, type Specimen, VERSIONS } from "../specimen.js";

export const terraform: Specimen = {
  manager: "terraform",
  files: (count) => ({
    "main.tf": names(count)
      .map((name) => `module "${name}" {\n  source  = "acme/${name}/aws"\n  version = "1.0.0"\n}\n`)
      .join(""),
  }),
  answer: (url) =>
    url.includes(".well-known")
      ? JSON.stringify({ "modules.v1": "/v1/modules/" })
      : JSON.stringify({ modules: [{ versions: VERSIONS.map((version) => ({ version })) }] }),
};
