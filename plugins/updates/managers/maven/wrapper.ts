/** The versions in the addresses of `.mvn/wrapper/maven-wrapper.properties`. */
import type { FileTexts } from "../contract.js";
import { within } from "../paths.js";
import type { Written } from "./project.js";

export const WRAPPER = ".mvn/wrapper/maven-wrapper.properties";

/** Whose group an address cannot tell: where the repository ends and the group begins is not written. */
const GROUPS: Readonly<Record<string, string>> = {
  "apache-maven": "org.apache.maven",
  "maven-wrapper": "org.apache.maven.wrapper",
  "maven-mvnd": "org.apache.maven.daemon",
};

export interface WrapperVersion {
  readonly name: string;
  readonly version: Written;
}

/** Each address has its version twice: in the directory and in the name of the file. */
export function readWrapper(directory: string, files: FileTexts): readonly WrapperVersion[] {
  const file = within(directory, WRAPPER);
  const found: WrapperVersion[] = [];
  const address =
    /^[ \t]*(?:distributionUrl|wrapperUrl)[ \t]*[=:][^\r\n]*?\/([a-z][a-z-]*)\/(\d[\w.-]*)\/\1-(\2)[\w.-]*[ \t]*\r?$/dgm;
  for (const match of files.get(file)?.matchAll(address) ?? []) {
    const [, artifact = "", text = ""] = match;
    const group = GROUPS[artifact];
    if (group === undefined) continue;
    for (const place of [2, 3]) {
      const [start = 0, end = 0] = match.indices?.[place] ?? [];
      found.push({ name: `${group}:${artifact}`, version: { text, file, range: { start, end } } });
    }
  }
  return found;
}

/** Digests of what is fetched stand beside the addresses. */
export const hasDigest = (directory: string, files: FileTexts): boolean =>
  /^[ \t]*\w+Sha256Sum[ \t]*[=:][ \t]*\w/m.test(files.get(within(directory, WRAPPER)) ?? "");
