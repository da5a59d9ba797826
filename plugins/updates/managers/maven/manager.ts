/** Maven: POMs with their parents and modules, extensions, the wrapper. There is no lock file. */
import { descend, readXml, valueIn } from "../../text/xml.js";
import type {
  Dependency,
  Manager,
  SourceRepository,
  UpdateEdit,
  UpdateRequest,
} from "../contract.js";
import { editManifests } from "../edit.js";
import { repositoryAddress } from "../source.js";
import { mavenAvailable } from "./available.js";
import { mavenParse, mavenWanted } from "./parse.js";
import { raised } from "./ranges.js";
import { mavenComparable, mavenVersioning } from "./versioning.js";
import { hasDigest, WRAPPER } from "./wrapper.js";

/** What a POM says of the repository it was made in. */
export const mavenSource: NonNullable<Manager["source"]> = async (
  { name, origin }: Dependency,
  { version },
  lookup,
): Promise<SourceRepository | undefined> => {
  if (origin.kind !== "registry") return undefined;
  const [group = "", artifact = ""] = name.split(":");
  const address = await lookup.fetch<string | undefined>({
    url: `${origin.url}/${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}.pom`,
    purpose: "source",
    digest: ({ body }) => {
      const pom = readXml("The POM", new TextDecoder().decode(body));
      const [scm] = descend(pom, "project", "scm");
      const said = scm && (valueIn(scm, "url") ?? valueIn(scm, "connection"));
      return repositoryAddress(
        (said?.text ?? "").replace(/^scm:git:/, "").replace(/\/tree\/[^/]+\/?$/, ""),
      );
    },
  });
  return address === undefined ? undefined : { url: address };
};

export const maven: Manager = {
  id: "maven",
  missing: "Repo must contain a pom.xml.",
  versioning: mavenVersioning,
  filesToRead: mavenWanted,
  parse: mavenParse,
  normalize: normalisedArtifact,
  available: mavenAvailable,
  comparable: mavenComparable,
  runs: () => true,
  isLibrary: async () => false,
  strategy: () => "bump_versions",
  pinned: async (_dependency, release) => release,
  source: mavenSource,
  requirement: ({ requirement }, { version }, strategy) =>
    strategy === "lockfile_only" ? requirement : raised(requirement, version),
  update: async (request) => mavenUpdate(request),
};

/** `group:artifact:1.2` and the address of a package (`pkg:maven/group/artifact@1.2`) are about `group:artifact`. */
export function normalisedArtifact(name: string): string {
  const [group = "", artifact] = name
    .trim()
    .replace(/^pkg:maven\/([^/@]+)\//, "$1:")
    .replace(/@.*$/, "")
    .split(":");
  return artifact === undefined ? group : `${group}:${artifact}`;
}

function mavenUpdate({ sources, changes }: UpdateRequest): UpdateEdit {
  const files = editManifests(sources.files, changes, (value) => value);
  const digests =
    [...files.keys()].some((file) => file.endsWith(WRAPPER)) &&
    hasDigest(sources.directory, sources.files);
  return {
    files,
    submodules: new Map(),
    lock: digests
      ? {
          kind: "stale",
          note: `${WRAPPER} has digests of what it fetches, which have to change as well: run \`mvn wrapper:wrapper\`.`,
        }
      : { kind: "absent" },
  };
}
