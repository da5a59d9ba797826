import { names, type Specimen, VERSIONS } from "../specimen.js";

const dependency = (name: string): string =>
  `    <dependency>\n      <groupId>org.acme</groupId>\n      <artifactId>${name}</artifactId>\n      <version>1.0.0</version>\n    </dependency>\n`;

export const maven: Specimen = {
  manager: "maven",
  files: (count) => ({
    "pom.xml": `<project>\n  <dependencies>\n${names(count).map(dependency).join("")}  </dependencies>\n</project>\n`,
  }),
  answer: (url) =>
    url.endsWith(".xml")
      ? `<metadata><versioning><versions>${VERSIONS.map((version) => `<version>${version}</version>`).join("")}</versions></versioning></metadata>`
      : "",
};
