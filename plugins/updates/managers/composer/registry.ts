/** Reads Composer repositories: the root file and the versions of a package. */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import type {
  Available,
  Dependency,
  Release,
  ReleaseFields,
  SourceRepository,
} from "../contract.js";
import { repositoryAddress } from "../source.js";
import { type JsonObject, jsonObject, textsOf } from "./lockfile/read.js";
import { normalized } from "./versions/versions.js";

interface FrontPage {
  /** With `%package%` in it. */
  readonly metadata?: string;
  /** The repository's `notify-batch`, which Composer copies into each entry. */
  readonly notify?: string;
  /** Further pages of packages, for static repositories. */
  readonly includes: readonly string[];
  /** A source that replaces the packages' own registry. */
  readonly mirrored: boolean;
}

const textOf = (body: Uint8Array): string => new TextDecoder().decode(body);

/** @throws UpdatesError as `Lookup.fetch` */
const frontPage = (url: string, lookup: Lookup): Promise<FrontPage> =>
  lookup.fetch<FrontPage>({
    url: `${url}/packages.json`,
    purpose: "front page",
    digest: ({ body }) => {
      const page = jsonObject(JSON.parse(textOf(body)));
      const metadata = page["metadata-url"];
      const notify = page["notify-batch"] ?? page.notify;
      return {
        ...(typeof metadata === "string" ? { metadata: resolved(url, metadata) } : {}),
        ...(typeof notify === "string" ? { notify: resolved(url, notify) } : {}),
        includes: Object.keys(jsonObject(page.includes)).map((path) => `${url}/${path}`),
        mirrored: Array.isArray(page.mirrors) && page.mirrors.length > 0,
      };
    },
  });

/** `/p2/…` is relative to the host, other paths to the repository. */
function resolved(url: string, path: string): string {
  if (/^https?:\/\//.test(path)) return path;
  return path.startsWith("/") ? `${new URL(url).origin}${path}` : `${url}/${path}`;
}

interface Answer<Digest> {
  readonly url: string;
  readonly found: Digest;
}

/** Queries each repository in turn and returns the first result. Non-canonical repositories also let the later ones answer. */
async function versionsIn<Digest>(
  dependency: Dependency,
  lookup: Lookup,
  purpose: string,
  digest: (versions: readonly JsonObject[]) => Digest | undefined,
): Promise<readonly Answer<Digest>[]> {
  const { name, extra } = dependency;
  const open = new Set(extra?.open?.split(" "));
  const answers: Answer<Digest>[] = [];
  for (const url of urlsOf(dependency)) {
    const page = await frontPage(url, lookup);
    const pages =
      page.metadata === undefined
        ? [`${url}/packages.json`, ...page.includes]
        : [page.metadata.replace("%package%", name)];
    for (const address of pages) {
      const found = await orNothing(() =>
        lookup.fetch<Digest | null>({
          url: address,
          purpose: `${purpose} of ${name}`,
          digest: ({ body }) =>
            digest(expanded(name, jsonObject(JSON.parse(textOf(body))))) ?? null,
        }),
      );
      if (found === undefined || found === null) continue;
      answers.push({ url, found });
      if (!open.has(url)) return answers;
    }
  }
  return answers;
}

async function orNothing<Value>(ask: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return undefined;
    throw error;
  }
}

/** Expands the minified form, in which a version lists only its differences from the one before. */
function expanded(name: string, document: JsonObject): readonly JsonObject[] {
  const listed = jsonObject(document.packages)[name];
  const versions = (Array.isArray(listed) ? listed : Object.values(jsonObject(listed))).map(
    jsonObject,
  );
  if (document.minified !== "composer/2.0") return versions;
  let last: JsonObject = {};
  return versions.map((change) => {
    last = Object.fromEntries(
      Object.entries({ ...last, ...change }).filter(([, value]) => value !== "__unset"),
    );
    return last;
  });
}

const urlsOf = ({ name, origin, extra }: Dependency): readonly string[] => {
  if (origin.kind !== "registry")
    throw new UpdatesError("lookup_failed", `No repository of packages is known for ${name}.`);
  return [origin.url, ...(extra?.others?.split(" ") ?? [])];
};

export async function composerAvailable(
  dependency: Dependency,
  lookup: Lookup,
  _wants: ReleaseFields,
): Promise<Available> {
  const { name } = dependency;
  const answers = await versionsIn(dependency, lookup, "versions", (versions) =>
    versions.length === 0 ? undefined : versions.flatMap(releaseOf),
  );
  if (answers.length === 0)
    throw new UpdatesError("package_unknown", `No repository has the package ${name}.`);
  const releases = new Map<string, Release>();
  for (const release of answers.flatMap(({ found }) => found))
    releases.set(release.version, releases.get(release.version) ?? release);
  return { releases: [...releases.values()] };
}

function releaseOf({ version, time, require }: JsonObject): readonly Release[] {
  if (typeof version !== "string" || normalized(version) === undefined) return [];
  const published = Date.parse(String(time));
  const php = textsOf(require).get("php");
  return [
    {
      version,
      ...(Number.isNaN(published) ? {} : { published }),
      ...(php === undefined ? {} : { runtime: { php } }),
    },
  ];
}

export interface PackageVersion {
  readonly metadata: JsonObject;
  readonly page: FrontPage;
}

/** The metadata of one version; undefined where no repository has it. @throws UpdatesError as `Lookup.fetch` */
export async function packageVersion(
  dependency: Dependency,
  version: string,
  lookup: Lookup,
): Promise<PackageVersion | undefined> {
  const [answer] = await versionsIn(dependency, lookup, `version ${version}`, (versions) =>
    versions.find((one) => one.version === version),
  );
  if (!answer) return undefined;
  return { metadata: answer.found, page: await frontPage(answer.url, lookup) };
}

export async function composerSource(
  dependency: Dependency,
  { version }: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> {
  const found = await packageVersion(dependency, version, lookup);
  const url = repositoryAddress(String(jsonObject(found?.metadata.source).url));
  return url === undefined ? undefined : { url };
}
