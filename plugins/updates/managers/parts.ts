/** Managers whose manifests name dependencies of several kinds: images, references to repositories, packages. */
import type { Declaration, Dependency, Manager } from "./contract.js";
import { docker } from "./docker/manager.js";
import { taggedReleases } from "./git-tags.js";
import { gitOrigin } from "./origin.js";
import {
  referenceComparable,
  referenceRequirement,
  referenceVersioning,
} from "./references/versions.js";
import { gitSource } from "./source.js";

/** How the dependencies of some sections are looked up, compared and written. */
type Part = Pick<Manager, "available" | "comparable" | "pinned" | "requirement" | "source">;

type Composed = Required<Part> & Pick<Manager, "isLibrary" | "strategy">;

/** The first part whose sections include that of the declaration, else the last. */
export function composedOf(
  parts: readonly [
    ...(readonly (readonly [sections: RegExp, part: Part])[]),
    readonly [RegExp, Part],
  ],
): Composed {
  const [, last] = parts[parts.length - 1] as readonly [RegExp, Part];
  const partOf = (declaration: Declaration | undefined): Part =>
    parts.find(([sections]) => sections.test(declaration?.section ?? ""))?.[1] ?? last;
  const of = ({ declarations }: Dependency): Part => partOf(declarations[0]);
  return {
    available: (dependency, lookup, fields) => of(dependency).available(dependency, lookup, fields),
    comparable: (dependency, available) => of(dependency).comparable(dependency, available),
    pinned: (dependency, release, lookup) => of(dependency).pinned(dependency, release, lookup),
    requirement: (declaration, release, strategy) =>
      partOf(declaration).requirement(declaration, release, strategy),
    source: async (dependency, release, lookup) =>
      of(dependency).source?.(dependency, release, lookup),
    isLibrary: async () => false,
    strategy: () => "bump_versions",
  };
}

export const images: Part = docker;

/** Tags of repositories, and commits with a tag in the comment after them. */
export const references: Part = {
  available: async (dependency, lookup) => ({
    releases: await taggedReleases(gitOrigin(dependency).url, lookup),
  }),
  comparable: referenceComparable,
  pinned: async (_dependency, release) => release,
  requirement: referenceRequirement,
  source: gitSource,
};

/** Of images and references: a commit is no version, a digest no part of one. */
export const partVersioning: Manager["versioning"] = {
  ...referenceVersioning,
  satisfies: docker.versioning.satisfies,
};
