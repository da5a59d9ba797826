/** Reads NuGet feeds (protocol version 3): versions, dependencies, packages. */
import { UpdatesError } from "../../../errors.js";
import type { Lookup } from "../../../registries/contract.js";
import type { Available, Dependency, Release } from "../../contract.js";
import { compareNuget, nugetVersioning } from "../versions.js";

interface Services {
  /** Of packages and version lists. */
  readonly packages: string | undefined;
  /** The known details of each version. */
  readonly registrations: string | undefined;
}

const slashed = (url: string): string => (url.endsWith("/") ? url : `${url}/`);
const parsed = (body: Uint8Array): unknown =>
  JSON.parse(new TextDecoder().decode(body).replace(/^\uFEFF/, ""));

interface Index {
  readonly resources: readonly { readonly "@id": string; readonly "@type": string }[];
}

export const feedServices = (feed: string, lookup: Lookup): Promise<Services> =>
  lookup.fetch<Services>({
    url: feed,
    purpose: "services",
    digest: ({ body }) => {
      const { resources } = parsed(body) as Index;
      const of = (...types: readonly string[]): string | undefined => {
        const found = types
          .map((type) => resources.find((each) => each["@type"] === type))
          .find((each) => each !== undefined);
        return found && slashed(found["@id"]);
      };
      return {
        packages: of("PackageBaseAddress/3.0.0"),
        registrations: of(
          ...["3.6.0", "3.4.0", "3.0.0-rc", "3.0.0-beta"].map((v) => `RegistrationsBaseUrl/${v}`),
          "RegistrationsBaseUrl",
        ),
      };
    },
  });

/** By framework, then by package: `{ "net8.0": { "Acme.Base": "[1.0.0, )" } }`. */
type Needs = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface FeedVersion extends Release {
  readonly needs: Needs;
  readonly source?: string;
}

interface Leaf {
  readonly catalogEntry: {
    readonly version: string;
    readonly listed?: boolean;
    readonly published?: string;
    readonly projectUrl?: string;
    readonly deprecation?: { readonly message?: string; readonly reasons?: readonly string[] };
    readonly dependencyGroups?: readonly {
      readonly targetFramework?: string;
      readonly dependencies?: readonly { readonly id: string; readonly range?: string }[];
    }[];
  };
}
interface Page {
  readonly "@id": string;
  readonly lower: string;
  readonly upper: string;
  readonly items?: readonly Leaf[];
}
interface Digested {
  readonly id: string;
  readonly upper: string;
  readonly items: readonly FeedVersion[] | undefined;
}

const known = ({ catalogEntry: entry }: Leaf): FeedVersion => {
  const published = Date.parse(entry.published ?? "");
  const why =
    entry.listed === false
      ? "It is unlisted."
      : entry.deprecation &&
        `It is deprecated: ${entry.deprecation.message ?? entry.deprecation.reasons?.join(", ") ?? "no reason is given"}.`;
  return {
    version: entry.version.replace(/\+.*$/, ""),
    ...(Number.isNaN(published) ? {} : { published }),
    ...(why ? { withdrawn: why } : {}),
    ...(entry.projectUrl ? { source: entry.projectUrl } : {}),
    needs: Object.fromEntries(
      (entry.dependencyGroups ?? []).map(({ targetFramework = "", dependencies = [] }) => [
        targetFramework,
        Object.fromEntries(dependencies.map(({ id, range = "" }) => [id, range])),
      ]),
    ),
  };
};

/** The known versions from `current` on. @throws UpdatesError `package_unknown` */
export async function registered(
  feed: string,
  name: string,
  current: string | undefined,
  lookup: Lookup,
): Promise<readonly FeedVersion[]> {
  const { registrations, packages } = await feedServices(feed, lookup);
  const id = name.toLowerCase();
  if (registrations === undefined) {
    if (packages === undefined)
      throw new UpdatesError("registry_garbled", `${feed} names no list of packages.`);
    const versions = await lookup.fetch<readonly string[]>({
      url: `${packages}${id}/index.json`,
      purpose: "versions",
      digest: ({ body }) => (parsed(body) as { readonly versions: readonly string[] }).versions,
    });
    return versions.map((version) => ({ version, needs: {} }));
  }
  const pages = await lookup.fetch<readonly Digested[]>({
    url: `${registrations}${id}/index.json`,
    purpose: "registration",
    digest: ({ body }) =>
      (parsed(body) as { readonly items: readonly Page[] }).items.map((page) => ({
        id: page["@id"],
        upper: page.upper,
        items: page.items?.map(known),
      })),
  });
  // Pages below the current version have nothing new.
  const wanted = pages.filter(
    ({ upper }) =>
      current === undefined ||
      !nugetVersioning.isVersion(upper) ||
      compareNuget(upper.replace(/\+.*$/, ""), current) >= 0,
  );
  const items = await Promise.all(
    wanted.map(
      (page) =>
        page.items ??
        lookup.fetch<readonly FeedVersion[]>({
          url: page.id,
          purpose: "registration page",
          digest: ({ body }) => (parsed(body) as Page).items?.map(known) ?? [],
        }),
    ),
  );
  return items.flat();
}

/** The result of the first feed that has the package. @throws UpdatesError `package_unknown` where none has */
export async function fromFeeds<T>(
  { origin, name, extra }: Dependency,
  ask: (feed: string) => Promise<T>,
): Promise<T> {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No feed is known for ${name}.`);
  let failure: unknown;
  for (const feed of [origin.url, ...(extra?.repositories?.split(" ") ?? [])])
    try {
      return await ask(feed);
    } catch (thrown) {
      const isUnknown = thrown instanceof UpdatesError && thrown.code === "package_unknown";
      if (failure === undefined || !isUnknown) failure = thrown;
    }
  throw failure;
}

/** Versions from the current one on; packages that share a property keep only common versions. */
export async function nugetAvailable(dependency: Dependency, lookup: Lookup): Promise<Available> {
  const sharers = dependency.extra?.sharers?.split(" ") ?? [];
  const [own = [], ...others] = await Promise.all(
    [dependency.name, ...sharers].map((name) =>
      fromFeeds(dependency, (feed) => registered(feed, name, dependency.current, lookup)),
    ),
  );
  return {
    releases: own
      .filter(({ version }) =>
        others.every((list) => list.some((other) => other.version === version)),
      )
      .map(({ needs, source, ...release }) => release),
  };
}
