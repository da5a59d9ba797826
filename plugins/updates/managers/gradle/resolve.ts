/**
 * Does a version need the same as the one before? Only then is the line of a lock file all that changes. What cannot be told
 * from the POMs alone is refused: versions that are decided elsewhere, and Gradle's own metadata, which says more.
 */
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { child, descend, readXml, valueIn, type XmlElement } from "../../text/xml.js";
import { folder } from "../maven/available.js";
import { compareGradle } from "./order.js";

interface Need {
  readonly version: string;
  /** Who gets it, and what is left out of it: as the POM says it. */
  readonly how: string;
}

/** By name; undefined where a POM does not say everything. */
type Needs = Readonly<Record<string, Need>> | undefined;

const MARKER = "published-with-gradle-metadata";

export interface Step {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly urls: readonly string[];
  /** What it is locked for. */
  readonly configurations: readonly string[];
}

/** What a lock file has of an artifact: its oldest version, and the configurations that have it. */
export interface Has {
  readonly version: string;
  readonly configurations: readonly string[];
}

/** Why the lock file cannot be moved by its line alone; undefined where it can. */
export async function lockObstacle(
  { name, from, to, urls, configurations }: Step,
  locked: ReadonlyMap<string, Has>,
  lookup: Lookup,
): Promise<string | undefined> {
  const [before, after] = await Promise.all(
    [from, to].map((version) => needsOf(urls, name, version, lookup)),
  );
  if (!before || !after) return `the POM of ${name} leaves open what it needs`;
  const dropped = Object.keys(before).find((each) => !(each in after));
  if (dropped !== undefined) return `${name} ${to} no longer needs ${dropped}`;
  for (const [each, { version, how }] of Object.entries(after)) {
    const has = locked.get(each);
    const old = before[each];
    if (has === undefined) return `${name} ${to} needs ${each}, which is not locked`;
    if (compareGradle(has.version, version) < 0) return `${name} ${to} needs ${each} ${version}`;
    if (!old && configurations.some((one) => !has.configurations.includes(one)))
      return `${name} ${to} needs ${each}, which is not locked for all that has ${name}`;
    if (old && old.how !== how) return `${name} ${to} needs ${each} in another way`;
    // What was asked for before may be why it is locked in this version.
    if (
      old &&
      compareGradle(version, old.version) < 0 &&
      compareGradle(old.version, has.version) >= 0
    )
      return `${name} ${to} no longer needs ${each} ${old.version}`;
  }
  return undefined;
}

interface Pom {
  readonly needs: Readonly<Record<string, Need>>;
  readonly parent: { readonly name: string; readonly version: string } | undefined;
}

/** More parents than anybody has. */
const GENERATIONS = 8;

/** What the POM and its parents need together. */
async function needsOf(
  urls: readonly string[],
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Needs> {
  const needs: Record<string, Need> = {};
  let next: Pom["parent"] = { name, version };
  for (let generation = 0; next && generation < GENERATIONS; generation += 1) {
    const pom: Pom | undefined = await pomOf(urls, next.name, next.version, lookup);
    if (!pom) return undefined;
    Object.assign(needs, { ...pom.needs, ...needs });
    next = pom.parent;
  }
  return next ? undefined : needs;
}

async function pomOf(
  urls: readonly string[],
  name: string,
  version: string,
  lookup: Lookup,
): Promise<Pom | undefined> {
  for (const url of urls)
    try {
      return await lookup.fetch<Pom | undefined>({
        url: `${folder(url, name)}/${version}/${name.split(":")[1]}-${version}.pom`,
        purpose: "needs",
        digest: ({ body }) => readPom(new TextDecoder().decode(body), version),
      });
    } catch (thrown) {
      if (!(thrown instanceof UpdatesError && thrown.code === "package_unknown")) throw thrown;
    }
  return undefined;
}

/** Undefined where something is not said in so many words. */
function readPom(text: string, own: string): Pom | undefined {
  const project = child(readXml("The POM", text), "project");
  if (!project || text.includes(MARKER)) return undefined;
  const needs: Record<string, Need> = {};
  for (const each of descend(project, "dependencies", "dependency")) {
    const scope = valueIn(each, "scope")?.text ?? "compile";
    const optional = valueIn(each, "optional")?.text === "true";
    if (optional || !["compile", "runtime"].includes(scope)) continue;
    const need = namedIn(each, own);
    if (!need) return undefined;
    const left = descend(each, "exclusions", "exclusion").map((exclusion) =>
      ["groupId", "artifactId"].map((key) => valueIn(exclusion, key)?.text).join(":"),
    );
    needs[need.name] = { version: need.version, how: [scope, ...left.toSorted()].join(" ") };
  }
  const above = child(project, "parent");
  const parent = above && namedIn(above, own);
  return above && !parent ? undefined : { needs, parent };
}

function namedIn(element: XmlElement, own: string): Pom["parent"] {
  const [group, artifact, version] = ["groupId", "artifactId", "version"].map((key) =>
    valueIn(element, key)?.text.replace("${project.version}", own),
  );
  if (group === undefined || artifact === undefined || version === undefined) return undefined;
  if (/\$\{|[[(,]/.test(`${group}${artifact}${version}`)) return undefined;
  return { name: `${group}:${artifact}`, version };
}
