/** The versions in the URLs of `.mvn/wrapper/maven-wrapper.properties`. */
import type { FileTexts } from "../../contract.js";
import { within } from "../../paths.js";
import type { ResolvedValue } from "./poms.js";

export const MAVEN_WRAPPER = ".mvn/wrapper/maven-wrapper.properties";

/** Groups by artifact. A URL does not show where the repository ends and the group begins. */
const GROUPS: Readonly<Record<string, string>> = {
  "apache-maven": "org.apache.maven",
  "maven-wrapper": "org.apache.maven.wrapper",
  "maven-mvnd": "org.apache.maven.daemon",
};

interface WrapperVersion {
  readonly name: string;
  readonly version: ResolvedValue;
}

/** Each URL has its version twice: in the directory and in the file name. */
export function readWrapper(directory: string, files: FileTexts): readonly WrapperVersion[] {
  const file = within(directory, MAVEN_WRAPPER);
  const found: WrapperVersion[] = [];
  const address =
    /^[ \t]*(?:distributionUrl|wrapperUrl)[ \t]*[=:][^\r\n]*?\/([a-z][a-z-]*)\/(\d[\w.-]*)\/\1-(\2)[\w.-]*[ \t]*\r?$/dgm;
  for (const match of files.get(file)?.matchAll(address) ?? []) {
    const [, artifact = "", text = ""] = match;
    const groupId = GROUPS[artifact];
    if (groupId === undefined) continue;
    for (const group of [2, 3]) {
      const [start = 0, end = 0] = match.indices?.[group] ?? [];
      found.push({
        name: `${groupId}:${artifact}`,
        version: { text, file, range: { start, end } },
      });
    }
  }
  return found;
}

/** Does the file have digests of the downloads? */
export const hasDigest = (directory: string, files: FileTexts): boolean =>
  /^[ \t]*\w+Sha256Sum[ \t]*[=:][ \t]*\w/m.test(files.get(within(directory, MAVEN_WRAPPER)) ?? "");
