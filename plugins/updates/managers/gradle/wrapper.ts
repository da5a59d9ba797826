/** Gradle itself: the version in the wrapper's address, and the digest beside it. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type { TextRange } from "../../text/text.js";
import type {
  Available,
  Dependency,
  ManagerSettings,
  ProjectSources,
  Release,
} from "../contract.js";
import { within } from "../paths.js";
import { WRAPPER } from "./files.js";

export const GRADLE = "gradle-wrapper";
const PUBLIC = "https://services.gradle.org";

interface Address {
  readonly url: string;
  readonly version: string;
  readonly range: TextRange;
}

function addressIn(text: string): Address | undefined {
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
  { registries }: ManagerSettings,
): Dependency | undefined {
  const file = within(directory, WRAPPER);
  const address = addressIn(files.get(file) ?? "");
  if (!address) return undefined;
  const { version, range } = address;
  const own = registries.find(({ manager, scope }) => manager === "gradle" && scope === GRADLE);
  return {
    id: GRADLE,
    name: GRADLE,
    origin: { kind: "registry", url: (own?.url ?? PUBLIC).replace(/\/+$/, "") },
    declarations: [{ file, range, requirement: version, section: "wrapper", development: true }],
    development: true,
    current: version,
  };
}

interface Published {
  readonly version: string;
  readonly buildTime?: string;
  readonly snapshot?: boolean;
  readonly nightly?: boolean;
  readonly broken?: boolean;
}

/** All versions of Gradle, from the service that the wrapper fetches from. */
export async function gradleVersions({ origin }: Dependency, lookup: Lookup): Promise<Available> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", "Nothing says where Gradle comes from.");
  const releases = await lookup.fetch<readonly Release[]>({
    url: `${origin.url}/versions/all`,
    purpose: "versions",
    digest: ({ body }) =>
      (JSON.parse(new TextDecoder().decode(body)) as readonly Published[])
        .filter(({ snapshot, nightly }) => !snapshot && !nightly)
        .map(({ version, buildTime = "", broken }) => {
          // 20240101120000+0000
          const iso = buildTime.replace(
            /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)([+-]\d\d)(\d\d)$/,
            "$1-$2-$3T$4:$5:$6$7:$8",
          );
          const published = Date.parse(iso);
          return {
            version,
            ...(Number.isNaN(published) ? {} : { published }),
            ...(broken ? { withdrawn: "Its makers call it broken." } : {}),
          };
        }),
  });
  return { releases };
}

/** With the digest of what the changed address has. Undefined where that cannot be had; `text` where there is none. */
export async function redigested(text: string, lookup: Lookup): Promise<string | undefined> {
  const sum = /^([ \t]*distributionSha256Sum[ \t]*[=:][ \t]*)([0-9a-f]{64})/m;
  const address = addressIn(text);
  if (!sum.test(text)) return text;
  if (!address || !URL.canParse(address.url)) return undefined;
  try {
    const digest = await lookup.fetch<string>({
      url: `${address.url}.sha256`,
      purpose: "digest",
      digest: ({ body }) => new TextDecoder().decode(body).trim().slice(0, 64),
    });
    return /^[0-9a-f]{64}$/.test(digest) ? text.replace(sum, `$1${digest}`) : undefined;
  } catch (thrown) {
    if (thrown instanceof UpdatesError) return undefined;
    throw thrown;
  }
}
