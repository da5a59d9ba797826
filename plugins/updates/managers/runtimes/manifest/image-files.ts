/** Images of runtimes in Dockerfiles and Compose files. */
import { imagesOfDockerfile } from "../../docker/manifest/dockerfile.js";
import type { ImageReference } from "../../docker/manifest/image.js";
import { imagesOfYaml } from "../../docker/manifest/yaml.js";
import { runtimeOfImage } from "../table.js";
import type { FoundVersion } from "./found.js";

export const ofDockerfile = (_file: string, text: string): readonly FoundVersion[] =>
  imagesOfDockerfile(text).flatMap((reference) => runtimeIn(reference, text));

export const ofCompose = (file: string, text: string): readonly FoundVersion[] =>
  imagesOfYaml(file, text).flatMap((reference) => runtimeIn(reference, text));

function runtimeIn(reference: ImageReference, text: string): readonly FoundVersion[] {
  const { image, range, section, affixes } = reference;
  const tool = runtimeOfImage(image);
  const value = text.slice(range.start, range.end);
  // Without a tag any version matches; a tag of words (`slim`) is no version.
  if (tool === undefined || !/^\d/.test(value)) return [];
  return [{ tool, image, value, range, section, ...(affixes ? { affixes } : {}) }];
}
