/** References to images: how they read, and where a manifest has one. */
import type { TextRange } from "../../../text/text.js";

export interface ImageReference {
  readonly image: string;
  /** Of tag and digest, after the name. */
  readonly range: TextRange;
  /** `FROM`, `services.web`, `Deployment`. */
  readonly section: string;
  /** The rest of the tag, where the range holds a part of it only: `-alpine`. */
  readonly affixes?: { readonly before: string; readonly after: string };
}

export interface Image {
  /** `ghcr.io`; undefined for Docker Hub. */
  readonly registry: string | undefined;
  /** As the registry names it: `library/node`. */
  readonly repository: string;
  /** As manifests name it: `node`, `ghcr.io/acme/app`. */
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const IMAGE = /^([a-z0-9][a-z0-9._:/-]*?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/i;

/** Undefined for text that is no image: a variable, an empty string. */
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

const TAG_OR_DIGEST = /[:@][^/]*$/;

/** The offset after the name and its colon; past the end where there is no tag. */
export const tagOffset = (image: string): number =>
  (TAG_OR_DIGEST.exec(image)?.index ?? image.length) + 1;

/** Of tag and digest; empty, at the end, for an image without them. */
export const tagRange = (image: string, start: number): TextRange => ({
  start: start + Math.min(tagOffset(image), image.length),
  end: start + image.length,
});
