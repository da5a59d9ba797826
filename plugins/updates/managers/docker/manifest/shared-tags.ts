/** Images whose tags take a part from the same argument: they move to one version together, or not at all. */
import type { Declaration, Dependency } from "../../contract.js";

type Affixes = readonly [before: string, after: string];

/** What `Dependency.extra.shared` holds as JSON. */
export interface SharedTag {
  readonly own: Affixes;
  readonly others: readonly (readonly [name: string, affixes: Affixes])[];
}

const affixesOf = ({ extra }: Declaration): Affixes => [extra?.before ?? "", extra?.after ?? ""];

/** The part of a tag that the argument holds; undefined where the rest of the tag differs. */
export function tagPart(version: string, [before, after]: Affixes): string | undefined {
  if (!version.startsWith(before) || !version.endsWith(after)) return undefined;
  return version.slice(before.length, version.length - after.length);
}

/** Dependencies with one declaration in common get each other's names. */
export function linkSharedTags(dependencies: readonly Dependency[]): readonly Dependency[] {
  const users = Map.groupBy(
    dependencies.flatMap((dependency) =>
      dependency.declarations.map((declaration) => ({ dependency, declaration })),
    ),
    ({ declaration: { file, range } }) => `${file}:${range.start}`,
  );
  return dependencies.map((dependency) => {
    const [location, uses] =
      [...users].find(
        ([, all]) => all.length > 1 && all.some((use) => use.dependency === dependency),
      ) ?? [];
    if (location === undefined || !uses) return dependency;
    const own = uses.find((use) => use.dependency === dependency);
    const others = uses.filter((use) => use !== own);
    const elsewhere = others.find(({ dependency: other }) => !hasSameRegistry(dependency, other));
    if (elsewhere)
      return {
        ...dependency,
        origin: {
          kind: "none",
          why: `${dependency.name} shares its version with ${elsewhere.dependency.name}, which is in another registry.`,
        },
      };
    const shared: SharedTag = {
      own: own ? affixesOf(own.declaration) : ["", ""],
      others: others.map(({ dependency: { name }, declaration }) => [name, affixesOf(declaration)]),
    };
    const extra = { ...dependency.extra, shared: JSON.stringify(shared) };
    return { ...dependency, together: location, extra };
  });
}

const hasSameRegistry = ({ origin }: Dependency, { origin: other }: Dependency): boolean =>
  origin.kind === "registry" && other.kind === "registry" && origin.url === other.url;
