/** Images of jobs and services, with tags in variables of the file or the job. */
import { isMap, isSeq, type YAMLMap } from "yaml";
import { scalarText } from "../../../text/yaml.js";
import type { ManagerSettings } from "../../contract.js";
import { throughVariable } from "../../docker/manifest/dockerfile.js";
import { type ImageReference, readImage, tagRange } from "../../docker/manifest/image.js";
import { configuredUrl } from "../../origin.js";

type Defaults = NonNullable<Parameters<typeof throughVariable>[2]>;

/** Keys of the pipeline that are no jobs. */
const NO_JOB = new Set([
  ...["include", "variables", "stages", "workflow", "cache", "before_script", "after_script"],
  ...["image", "services", "spec"],
]);

export function imagesOfPipeline(
  root: YAMLMap,
  text: string,
  settings: ManagerSettings,
): readonly ImageReference[] {
  const common = variablesOf(root, text);
  const jobs = root.items.flatMap(({ key, value }) =>
    isMap(value) && !NO_JOB.has(String(key)) ? [value] : [],
  );
  return [root, ...jobs].flatMap((owner) => {
    const defaults = owner === root ? common : new Map([...common, ...variablesOf(owner, text)]);
    const services = owner.get("services");
    return [
      { node: owner.get("image", true), section: "image" },
      ...(isSeq(services) ? services.items : []).map((node) => ({ node, section: "services" })),
    ].flatMap(({ node, section }) => {
      const scalar = scalarText(isMap(node) ? node.get("name", true) : node, text);
      const image = scalar && located(scalar.value, scalar.range.end, defaults, settings);
      return image ? [{ ...image, section }] : [];
    });
  });
}

function variablesOf(owner: YAMLMap, text: string): Defaults {
  const variables = owner.get("variables");
  if (!isMap(variables)) return new Map();
  return new Map(
    variables.items.flatMap(({ key, value }) => {
      const scalar = scalarText(isMap(value) ? value.get("value", true) : value, text);
      return scalar
        ? [[String(key), { value: scalar.value, start: scalar.range.start }] as const]
        : [];
    }),
  );
}

const PREFIX = /^\$(?:\{(\w+)\}|(\w+))\//;

/** Prefixes that GitLab sets for images of Docker Hub. */
const PROXY = /^CI_DEPENDENCY_PROXY_(DIRECT_)?GROUP_IMAGE_PREFIX$/;

function located(
  written: string,
  end: number,
  defaults: Defaults,
  settings: ManagerSettings,
): Omit<ImageReference, "section"> | undefined {
  const [prefix = "", braced, bare] = PREFIX.exec(written) ?? [];
  const name = braced ?? bare;
  const host = name === undefined || defaults.has(name) ? undefined : hostOf(name, settings);
  const image = host === undefined ? written : host + written.slice(prefix.length);
  const start = end - image.length;
  if (image.includes("$")) return throughVariable(image, start, defaults);
  // A digest of an image without a tag is no reason to move.
  return readImage(image) ? { image, range: tagRange(image, start) } : undefined;
}

/** What a `registry` block says of the variable: `scope = "$CI_REGISTRY"`. */
function hostOf(variable: string, settings: ManagerSettings): string | undefined {
  const url = configuredUrl(settings, "gitlab_ci", (scope) => scope === `$${variable}`);
  if (url !== undefined) return `${url.replace(/^\w+:\/\//, "")}/`;
  return PROXY.test(variable) ? "" : undefined;
}
