/** Images in YAML: Compose services, Kubernetes objects, values of a Helm chart. */
import { type Document, isMap, isScalar, type Pair, visit, type YAMLMap } from "yaml";
import { UpdatesError } from "../../../errors.js";
import { readYamlStream, scalarText } from "../../../text/yaml.js";
import { throughVariable } from "./dockerfile.js";
import { type ImageReference, tagRange } from "./image.js";

/** None for YAML of another kind. @throws UpdatesError `manifest_unreadable` */
export function imagesOfYaml(file: string, text: string): readonly ImageReference[] {
  try {
    return readYamlStream(file, text).flatMap((document) => imagesOf(document, file, text));
  } catch (error) {
    // Chart templates are not YAML until they are rendered; braces in a string may appear anywhere.
    if (error instanceof UpdatesError && /\{\{/.test(text)) return [];
    throw error;
  }
}

function imagesOf(
  document: Document.Parsed,
  file: string,
  text: string,
): readonly ImageReference[] {
  const kind = document.get("kind");
  const isObject = typeof kind === "string" && document.has("apiVersion");
  const isCompose = isMap(document.get("services"));
  const isValues = /(^|\/)values[^/]*\.ya?ml$/.test(file);
  if (!isObject && !isCompose && !isValues) return [];
  const references: ImageReference[] = [];
  visit(document, {
    Pair: (_key, pair: Pair) => {
      if (!isScalar(pair.key) || pair.key.value !== "image") return;
      const reference =
        isMap(pair.value) && isValues ? ofParts(pair.value, text) : ofText(pair.value, text);
      if (reference) references.push({ ...reference, section: isObject ? String(kind) : "image" });
    },
  });
  return references;
}

export function ofText(node: unknown, text: string): Omit<ImageReference, "section"> | undefined {
  const scalar = scalarText(node, text);
  if (!scalar) return undefined;
  const { value, range } = scalar;
  // `${IMAGE:-redis:7.2}` has its value in the default.
  if (value.includes("$")) return throughVariable(value, range.start);
  return { image: value, range: tagRange(value, range.start) };
}

/** `image: { registry: …, repository: …, tag: … }`. */
function ofParts(map: YAMLMap, text: string): Omit<ImageReference, "section"> | undefined {
  const tag = scalarText(map.get("tag", true), text);
  const repository = map.get("repository");
  const registry = map.get("registry");
  if (!tag || typeof repository !== "string" || tag.value === "") return undefined;
  const name =
    typeof registry === "string" && registry !== "" ? `${registry}/${repository}` : repository;
  return { image: `${name}:${tag.value}`, range: tag.range };
}
