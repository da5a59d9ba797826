import { names, type Specimen } from "../specimen.js";
import { maven } from "./maven.js";

export const gradle: Specimen = {
  ...maven,
  manager: "gradle",
  files: (count) => ({
    "build.gradle.kts": `dependencies {\n${names(count)
      .map((name) => `    implementation("org.acme:${name}:1.0.0")\n`)
      .join("")}}\n`,
  }),
};
