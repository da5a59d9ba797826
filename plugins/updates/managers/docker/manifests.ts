/** Images in YAML: of Compose services, of Kubernetes objects, of a chart's values. */
import { type Document, isMap, isScalar, type Pair, visit, type YAMLMap } from "yaml";
import { UpdatesError } from "../../errors.js";
import { readYamlStream, scalarText } from "../../text/yaml.js";
import type { ImagePlace } from "./places.js";

/** Nothing for YAML that is about something else. @throws UpdatesError `manifest_unreadable` */
export function imagesOfYaml(file: string, text: string): readonly ImagePlace[] {
  try {
    return readYamlStream(file, text).flatMap((document) => imagesOf(document, file, text));
  } catch (error) {
    // Templates of a chart are no YAML before they are rendered; a text with braces in it may stand anywhere.
    if (error instanceof UpdatesError && /\{\{/.test(text)) return [];
    throw error;
  }
}

function imagesOf(document: Document.Parsed, file: string, text: string): readonly ImagePlace[] {
  const kind = document.get("kind");
  const isObject = typeof kind === "string" && document.has("apiVersion");
  const isCompose = isMap(document.get("services"));
  const isValues = /(^|\/)values[^/]*\.ya?ml$/.test(file);
  if (!isObject && !isCompose && !isValues) return [];
  const places: ImagePlace[] = [];
  visit(document, {
    Pair: (_key, pair: Pair) => {
      if (!isScalar(pair.key) || pair.key.value !== "image") return;
      const place =
        isMap(pair.value) && isValues ? ofParts(pair.value, text) : ofText(pair.value, text);
      if (place) places.push({ ...place, section: isObject ? String(kind) : "image" });
    },
  });
  return places;
}

function ofText(node: unknown, text: string): Omit<ImagePlace, "section"> | undefined {
  const scalar = scalarText(node, text);
  if (!scalar || scalar.value.includes("$")) return undefined;
  const { value, range } = scalar;
  const reference = /[:@][^/]*$/.exec(value);
  return {
    image: value,
    range: {
      start: range.start + (reference ? reference.index + 1 : value.length),
      end: range.end,
    },
  };
}

/** `image: { registry: …, repository: …, tag: … }`. */
function ofParts(map: YAMLMap, text: string): Omit<ImagePlace, "section"> | undefined {
  const tag = scalarText(map.get("tag", true), text);
  const repository = map.get("repository");
  const registry = map.get("registry");
  if (!tag || typeof repository !== "string" || tag.value === "") return undefined;
  const name =
    typeof registry === "string" && registry !== "" ? `${registry}/${repository}` : repository;
  return { image: `${name}:${tag.value}`, range: tag.range };
}
