/** Container images in workflows and actions: of jobs, of services, and of steps that run one. */
import { type Document, isMap, isScalar, type Pair, visit } from "yaml";
import { readYaml, scalarText } from "../../text/yaml.js";
import type { RepositoryPath } from "../contract.js";
import { type ImageReference, tagRange } from "../docker/manifest/image.js";
import { ofText } from "../docker/manifest/yaml.js";

const SCHEME = "docker://";

/** @throws UpdatesError `manifest_unreadable` */
export function imagesOfWorkflow(file: RepositoryPath, text: string): readonly ImageReference[] {
  const document = readYaml(file, text);
  const found: ImageReference[] = [...imagesOfJobs(document, text)];
  visit(document, {
    // `uses` of a step, and `image` of an action that runs in a container.
    Pair: (_key, { key, value }: Pair) => {
      if (!isScalar(key) || (key.value !== "uses" && key.value !== "image")) return;
      const scalar = scalarText(value, text);
      if (!scalar?.value.startsWith(SCHEME)) return;
      const image = scalar.value.slice(SCHEME.length);
      if (image.includes("$")) return;
      const range = tagRange(image, scalar.range.start + SCHEME.length);
      found.push({ image, range, section: "image" });
    },
  });
  return found;
}

function imagesOfJobs(document: Document.Parsed, text: string): readonly ImageReference[] {
  const jobs = document.get("jobs");
  if (!isMap(jobs)) return [];
  return jobs.items.flatMap(({ value: job }) => {
    if (!isMap(job)) return [];
    const services = job.get("services");
    const nodes = isMap(services) ? services.items.map(({ value }) => value) : [];
    return [
      ...[job.get("container", true)].map((node) => ({ node, section: "container" })),
      ...nodes.map((node) => ({ node, section: "services" })),
    ].flatMap(({ node, section }) => {
      const image = ofText(isMap(node) ? node.get("image", true) : node, text);
      // Those with a scheme are found everywhere.
      return image && !image.image.startsWith(SCHEME) ? [{ ...image, section }] : [];
    });
  });
}
