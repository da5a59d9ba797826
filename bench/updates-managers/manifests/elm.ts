import { names, type Specimen, VERSIONS } from "../specimen.js";

export const elm: Specimen = {
  manager: "elm",
  files: (count) => ({
    "elm.json": JSON.stringify(
      {
        type: "package",
        dependencies: Object.fromEntries(
          names(count).map((name) => [`acme/${name}`, "0.1.0 <= v < 1.0.0"]),
        ),
      },
      undefined,
      4,
    ),
  }),
  answer: () => JSON.stringify(Object.fromEntries(VERSIONS.map((version) => [version, 1]))),
};
