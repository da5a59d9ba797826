/** The name of an image taken apart: where it is, what it is called, which one of it. */

export interface Image {
  /** `ghcr.io`; undefined for the one that needs no naming. */
  readonly registry: string | undefined;
  /** As the registry knows it: `library/node`. */
  readonly repository: string;
  /** As people write it: `node`, `ghcr.io/acme/app`. */
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const IMAGE = /^([a-z0-9][a-z0-9._:/-]*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/i;

/** Undefined for what is no image: variables, nothing at all. */
export function readImage(text: string): Image | undefined {
  const [, path = "", tag, digest] = IMAGE.exec(text) ?? [];
  if (path === "" || path.endsWith("/")) return undefined;
  const [first = "", ...rest] = path.toLowerCase().split("/");
  const named = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = named && !/^(index\.|registry-1\.)?docker\.io$/.test(first) ? first : undefined;
  const inside = named ? rest.join("/") : [first, ...rest].join("/");
  const official = registry === undefined ? inside.replace(/^library\//, "") : inside;
  const repository =
    registry === undefined && !official.includes("/") ? `library/${official}` : official;
  const name = registry === undefined ? official : `${registry}/${official}`;
  return { registry, repository, name, tag, digest };
}
