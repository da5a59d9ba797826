/** Images of which one argument says a part of the tag: a version is one for all of them, or for none. */
import type { Lookup } from "../../registries/contract.js";
import type { Declaration, Dependency, Release } from "../contract.js";
import { readImage } from "./image.js";
import { tagsOf } from "./registry.js";

type Around = readonly [before: string, after: string];

const aroundOf = ({ extra }: Declaration): Around => [extra?.before ?? "", extra?.after ?? ""];

/** What an argument says of a tag, of which the rest stands elsewhere. */
export function partOf(version: string, [before, after]: Around): string | undefined {
  if (!version.startsWith(before) || !version.endsWith(after)) return undefined;
  return version.slice(before.length, version.length - after.length);
}

/** Those that share a place with others know of each other. */
export function sharing(dependencies: readonly Dependency[]): readonly Dependency[] {
  const users = Map.groupBy(
    dependencies.flatMap((dependency) =>
      dependency.declarations.map((declaration) => ({ dependency, declaration })),
    ),
    ({ declaration: { file, range } }) => `${file}:${range.start}`,
  );
  return dependencies.map((dependency) => {
    const [place, all] =
      [...users].find(
        ([, uses]) => uses.length > 1 && uses.some((use) => use.dependency === dependency),
      ) ?? [];
    if (place === undefined || !all) return dependency;
    const own = all.find((use) => use.dependency === dependency);
    const others = all.filter((use) => use !== own);
    const elsewhere = others.find(({ dependency: other }) => !isBeside(dependency, other));
    if (elsewhere)
      return {
        ...dependency,
        origin: {
          kind: "none",
          why: `${dependency.name} shares its version with ${elsewhere.dependency.name}, which comes from elsewhere.`,
        },
      };
    const shared: Shared = {
      own: own ? aroundOf(own.declaration) : ["", ""],
      others: others.map(({ dependency: { name }, declaration }) => [name, aroundOf(declaration)]),
    };
    const extra = { ...dependency.extra, shared: JSON.stringify(shared) };
    return { ...dependency, together: place, extra };
  });
}

interface Shared {
  readonly own: Around;
  readonly others: readonly (readonly [name: string, around: Around])[];
}

const isBeside = ({ origin }: Dependency, { origin: other }: Dependency): boolean =>
  origin.kind === "registry" && other.kind === "registry" && origin.url === other.url;

/** Those that all images have which share the place. @throws UpdatesError as `Lookup` */
export async function forAll(
  { extra, origin }: Dependency,
  releases: readonly Release[],
  lookup: Lookup,
): Promise<readonly Release[]> {
  if (extra?.shared === undefined || origin.kind !== "registry") return releases;
  const { own, others } = JSON.parse(extra.shared) as Shared;
  const known = await Promise.all(
    others.map(async ([name, around]) => {
      const tags = await tagsOf(origin.url, readImage(name)?.repository ?? name, lookup);
      return { around, tags: new Set(tags) };
    }),
  );
  return releases.filter(({ version }) => {
    const part = partOf(version, own);
    return (
      part !== undefined &&
      known.every(({ around: [before, after], tags }) => tags.has(before + part + after))
    );
  });
}
