/** Which repository a version of an npm package was made from, as its own document says. */
import type { Lookup } from "../../registries/contract.js";
import type { Dependency, Release, SourceRepository } from "../contract.js";
import { repositoryAddress } from "../source.js";
import { type VersionDocument, versionDocument } from "./version-document.js";

export const npmSource = async (
  { name, origin }: Dependency,
  { version }: Release,
  lookup: Lookup,
): Promise<SourceRepository | undefined> => {
  if (origin.kind !== "registry") return undefined;
  const said = repositoryIn(await versionDocument(lookup, origin.url, name, version));
  const url = said.url === undefined ? undefined : repositoryAddress(said.url);
  if (url === undefined) return undefined;
  return { url, ...(said.directory ? { directory: said.directory } : {}) };
};

function repositoryIn({ repository }: VersionDocument): {
  readonly url?: string;
  readonly directory?: string;
} {
  const { url, directory } =
    typeof repository === "string"
      ? { url: repository, directory: undefined }
      : ((repository ?? {}) as { url?: unknown; directory?: unknown });
  return {
    ...(typeof url === "string" ? { url } : {}),
    ...(typeof directory === "string" && /^[\w.@/-]+$/.test(directory)
      ? { directory: directory.replace(/^\.?\/+|\/+$/g, "") }
      : {}),
  };
}
