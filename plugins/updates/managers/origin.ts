/** Where the versions of a dependency come from. */
import { UpdatesError } from "../errors.js";
import type { Dependency, DependencyOrigin, ManagerSettings } from "./contract.js";

/** @throws UpdatesError `lookup_failed` for a dependency without a registry */
export function registryUrl({ name, origin }: Pick<Dependency, "name" | "origin">): string {
  if (origin.kind === "registry") return origin.url;
  throw new UpdatesError("lookup_failed", `No registry is known for ${name}.`);
}

/** @throws UpdatesError `lookup_failed` for a dependency without a git repository */
export function gitOrigin({
  name,
  origin,
}: Dependency): Extract<DependencyOrigin, { kind: "git" }> {
  if (origin.kind === "git") return origin;
  throw new UpdatesError("lookup_failed", `No repository is known for ${name}.`);
}

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "");

/** The URL that the instance sets for a manager: of the scopes that fit, the longest wins. @default the entry without a scope */
export function configuredUrl(
  { registries }: ManagerSettings,
  manager: string,
  fits: (scope: string | undefined) => boolean = (scope) => scope === undefined,
): string | undefined {
  const [entry] = registries
    .filter((registry) => registry.manager === manager && fits(registry.scope))
    .toSorted((a, b) => (b.scope ?? "").length - (a.scope ?? "").length);
  return entry && withoutSlash(entry.url);
}
