/** The wrapper's properties: the URL that Gradle itself is downloaded from. */
import type { TextRange } from "../../../text/text.js";
import type { Dependency, ManagerSettings, ProjectSources } from "../../contract.js";
import { configuredUrl } from "../../origin.js";
import { within } from "../../paths.js";
import { WRAPPER_PROPERTIES } from "./files.js";

/** The name of the dependency on Gradle itself. */
export const GRADLE = "gradle-wrapper";

interface DistributionUrl {
  readonly url: string;
  readonly version: string;
  /** Of the version. */
  readonly range: TextRange;
}

export function distributionUrl(text: string): DistributionUrl | undefined {
  const match =
    /^[ \t]*distributionUrl[ \t]*[=:][ \t]*(\S*\/gradle-(\d[\w.+-]*?)-(?:bin|all)\.zip)[ \t]*\r?$/dm.exec(
      text,
    );
  const [start, end] = match?.indices?.[2] ?? [];
  if (!match || start === undefined || end === undefined) return undefined;
  const [, url = "", version = ""] = match;
  return { url: url.replaceAll("\\", ""), version, range: { start, end } };
}

export function wrapperDependency(
  { directory, files }: ProjectSources,
  settings: ManagerSettings,
): Dependency | undefined {
  const file = within(directory, WRAPPER_PROPERTIES);
  const distribution = distributionUrl(files.get(file) ?? "");
  if (!distribution) return undefined;
  const { version, range } = distribution;
  const configured = configuredUrl(settings, "gradle", (scope) => scope === GRADLE);
  return {
    id: GRADLE,
    name: GRADLE,
    origin: { kind: "registry", url: configured ?? "https://services.gradle.org" },
    declarations: [{ file, range, requirement: version, section: "wrapper", development: true }],
    development: true,
    current: version,
  };
}
