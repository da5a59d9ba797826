/** Registries that the instance configures in place of the public ones. */
import type { ManagerSettings } from "./contract.js";

/** The registry of `scope`, without a trailing slash; undefined where none is configured. */
export const configuredRegistry = (
  { registries }: ManagerSettings,
  manager: string,
  scope?: string,
): string | undefined =>
  registries
    .find((each) => each.manager === manager && each.scope === scope)
    ?.url.replace(/\/+$/, "");
