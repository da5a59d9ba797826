/** Registries and credentials as options of npm's libraries. */
import type { PackageLockJob } from "../contract.js";

type RegistryLogins = Pick<PackageLockJob, "registries" | "credentials">;

export function registryOptions({
  registries,
  credentials,
}: RegistryLogins): Record<string, string> {
  const options: Record<string, string> = {};
  for (const [scope, url] of Object.entries(registries))
    options[scope === "" ? "registry" : `${scope}:registry`] = `${url}/`;
  for (const { url, authorization } of credentials) {
    const [scheme = "", secret = ""] = authorization.split(" ");
    options[`${credentialKey(url)}:${/^bearer$/i.test(scheme) ? "_authToken" : "_auth"}`] = secret;
  }
  return options;
}

/** `//host/path/`, npm's key for a credential. */
export function credentialKey(url: string): string {
  const { host, pathname } = new URL(url);
  return `//${host}${pathname.replace(/\/*$/, "/")}`;
}
