/** Requests to Maven repositories: the list of versions, the date of each, and the POM's link to its source. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeText } from "../../text/text.js";
import { descend, readXml, valueIn } from "../../text/xml.js";
import type {
  Available,
  Dependency,
  Manager,
  ManagerSettings,
  Release,
  ReleaseFields,
} from "../contract.js";
import { configuredUrl, registryUrl, withoutSlash } from "../origin.js";
import { repositoryAddress } from "../source.js";
import { compareMaven, mavenVersioning } from "./versions.js";

/** Dates cost a request each, so only the newest versions get one. */
const MAX_DATED = 20;
/** Newest versions that are checked for a POM: some are listed before it exists, or after it was removed. */
const MAX_CHECKED = 5;

const CENTRAL = "https://repo.maven.apache.org/maven2";

/**
 * The repositories of an artifact: the one the instance sets, else those the project names and Maven Central. A scope is a group and
 * its subgroups: `com.acme` includes `com.acme.tools`.
 */
export function repositoriesFor(
  name: string,
  named: readonly string[],
  settings: ManagerSettings,
  manager = "maven",
): readonly string[] {
  const group = name.split(":")[0] ?? name;
  const own = configuredUrl(
    settings,
    manager,
    (scope) => scope === undefined || `${group}.`.startsWith(`${scope}.`),
  );
  return own === undefined ? [...new Set([...named, CENTRAL].map(withoutSlash))] : [own];
}

/** `group:artifact:1.2` and the package URL `pkg:maven/group/artifact@1.2` become `group:artifact`. */
export function normalizeArtifact(name: string): string {
  const [group = "", artifact] = name
    .trim()
    .replace(/^pkg:maven\/([^/@]+)\//, "$1:")
    .replace(/@.*$/, "")
    .split(":");
  return artifact === undefined ? group : `${group}:${artifact}`;
}

const artifactUrl = (url: string, name: string): string => {
  const [group = "", artifact = ""] = name.split(":");
  return `${url}/${group.replaceAll(".", "/")}/${artifact}`;
};

export const pomUrl = (url: string, name: string, version: string): string =>
  `${artifactUrl(url, name)}/${version}/${name.split(":")[1]}-${version}.pom`;

/** `compare` is the manager's order. @throws UpdatesError `package_unknown` where no repository has the artifact */
export async function mavenAvailable(
  dependency: Dependency,
  lookup: Lookup,
  { dates }: ReleaseFields,
  compare: (a: string, b: string) => number = compareMaven,
): Promise<Available> {
  const { name, current, extra } = dependency;
  const urls = [registryUrl(dependency), ...(extra?.repositories?.split(" ") ?? [])];
  const sharers = extra?.sharers?.split(" ") ?? [];
  const [offers = [], ...others] = await Promise.all(
    [name, ...sharers].map((each) => versionsIn(urls, each, lookup)),
  );
  // Artifacts that share a property need a version that all of them have.
  const newer = offers
    .filter(({ version }) => current === undefined || compare(version, current) >= 0)
    .filter(({ version }) =>
      others.every((list) => list.some((other) => other.version === version)),
    )
    .sort((a, b) => compare(b.version, a.version));
  return { releases: await withPoms(newer, { name, current, lookup, dates }) };
}

interface OfferedVersion {
  readonly version: string;
  readonly url: string;
}

async function versionsIn(
  urls: readonly string[],
  name: string,
  lookup: Lookup,
): Promise<readonly OfferedVersion[]> {
  const results = await Promise.allSettled(
    urls.map(async (url) =>
      (await listVersions(url, name, lookup)).map((version) => ({ version, url })),
    ),
  );
  const lists = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  if (lists.length > 0)
    return [...new Map(lists.flat().map((offer) => [offer.version, offer])).values()];
  const errors = results.map((result) => (result as PromiseRejectedResult).reason as unknown);
  // The artifact is unknown only if every repository says so: a repository that fails may have it.
  throw errors.find((error) => !isUnknown(error)) ?? errors[0];
}

const isUnknown = (error: unknown): boolean =>
  error instanceof UpdatesError && error.code === "package_unknown";

/** Newest first. */
const listVersions = (url: string, name: string, lookup: Lookup): Promise<readonly string[]> =>
  lookup.fetch<readonly string[]>({
    url: `${artifactUrl(url, name)}/maven-metadata.xml`,
    purpose: "versions",
    digest: ({ body }) =>
      descend(
        readXml("maven-metadata.xml", decodeText(body)),
        ...["metadata", "versioning", "versions", "version"],
      )
        .flatMap(({ value }) => (value ? [value.text] : []))
        .sort((a, b) => compareMaven(b, a)),
  });

interface PomRequests {
  readonly name: string;
  readonly current: string | undefined;
  readonly lookup: Lookup;
  readonly dates: boolean;
}

/** Checks the newest versions for a POM; a version without one is withdrawn. */
async function withPoms(
  offers: readonly OfferedVersion[],
  { name, current, lookup, dates }: PomRequests,
): Promise<readonly Release[]> {
  const checked = new Map<OfferedVersion, Partial<Release>>();
  const check = async (offer: OfferedVersion): Promise<void> => {
    checked.set(offer, await pomFields(offer, name, lookup));
  };
  const candidates = offers.filter(
    ({ version }) =>
      version !== current &&
      !/-SNAPSHOT$/i.test(version) &&
      (dates || !mavenVersioning.isPrerelease(version)),
  );
  if (dates) await Promise.all(candidates.slice(0, MAX_DATED).map(check));
  else
    for (const offer of candidates.slice(0, MAX_CHECKED)) {
      await check(offer);
      if (checked.get(offer)?.withdrawn === undefined) break;
    }
  return offers.map((offer) => ({ version: offer.version, ...checked.get(offer) }));
}

async function pomFields(
  { url, version }: OfferedVersion,
  name: string,
  lookup: Lookup,
): Promise<Partial<Release>> {
  try {
    return await lookup.fetch<Partial<Release>>({
      url: pomUrl(url, name, version),
      method: "HEAD",
      purpose: "pom",
      digest: ({ header }) => {
        const published = Date.parse(header("last-modified") ?? "");
        return Number.isNaN(published) ? {} : { published };
      },
    });
  } catch (error) {
    if (!isUnknown(error)) throw error;
    return { withdrawn: "It is in the list of versions, but its POM is missing." };
  }
}

/** The source repository that the POM names. */
export const mavenSource: NonNullable<Manager["source"]> = async (
  { name, origin }: Dependency,
  { version },
  lookup,
) => {
  if (origin.kind !== "registry") return undefined;
  const address = await lookup.fetch<string | undefined>({
    url: pomUrl(origin.url, name, version),
    purpose: "source",
    digest: ({ body }) => {
      const [scm] = descend(readXml("The POM", decodeText(body)), "project", "scm");
      const link = scm && (valueIn(scm, "url") ?? valueIn(scm, "connection"));
      return repositoryAddress(
        (link?.text ?? "").replace(/^scm:git:/, "").replace(/\/tree\/[^/]+\/?$/, ""),
      );
    },
  });
  return address === undefined ? undefined : { url: address };
};
