/** Registries and who we are to them, as npm's own libraries want to hear it. */
import type { PackageLockJob } from "./contract.js";

type Said = Pick<PackageLockJob, "registries" | "credentials">;

export function registryOptions({ registries, credentials }: Said): Record<string, string> {
  const options: Record<string, string> = {};
  for (const [scope, url] of Object.entries(registries))
    options[scope === "" ? "registry" : `${scope}:registry`] = `${url}/`;
  for (const { url, authorization } of credentials) {
    const [scheme = "", secret = ""] = authorization.split(" ");
    options[`${nerfed(url)}:${/^bearer$/i.test(scheme) ? "_authToken" : "_auth"}`] = secret;
  }
  return options;
}

/** `//host/path/`, the way npm names the place that a credential is for. */
export function nerfed(url: string): string {
  const { host, pathname } = new URL(url);
  return `//${host}${pathname.replace(/\/*$/, "/")}`;
}
