/** Which repository a version of an npm package was made from, as its own document says. */
import type { Lookup } from "../../registries/contract.js";
import type { Dependency, Release, SourceOf } from "../contract.js";
import { repositoryAddress } from "../source.js";
import { packageAddress } from "./packument.js";

export const npmSource = async (
  { name, origin }: Dependency,
  { version }: Release,
  lookup: Lookup,
): Promise<SourceOf | undefined> => {
  if (origin.kind !== "registry") return undefined;
  const said = await lookup.fetch({
    url: `${packageAddress(origin.url, name)}/${encodeURIComponent(version)}`,
    accept: "application/json",
    purpose: "source",
    digest: ({ body }): { readonly url?: string; readonly directory?: string } => {
      const { repository } = JSON.parse(new TextDecoder().decode(body)) as { repository?: unknown };
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
    },
  });
  const url = said.url === undefined ? undefined : repositoryAddress(said.url);
  if (url === undefined) return undefined;
  return { url, ...(said.directory ? { directory: said.directory } : {}) };
};
