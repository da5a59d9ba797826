/** Which Maven repositories are asked: what the instance says, else what POMs name, and the central one. */
import { child, descend, valueIn } from "../../text/xml.js";
import type { ManagerSettings } from "../contract.js";
import type { Pom, Poms } from "./project.js";

const CENTRAL = "https://repo.maven.apache.org/maven2";

/** A scope is a group: `com.acme` is also for `com.acme.tools`. Without any, what the repository names, then the central one. */
export function repositoriesFor(
  name: string,
  named: readonly string[],
  { registries }: ManagerSettings,
  manager = "maven",
): readonly string[] {
  const group = name.split(":")[0] ?? name;
  const [own] = registries
    .filter(
      (registry) =>
        registry.manager === manager &&
        (registry.scope === undefined || `${group}.`.startsWith(`${registry.scope}.`)),
    )
    .toSorted((a, b) => (b.scope ?? "").length - (a.scope ?? "").length);
  const urls = own ? [own.url] : [...named, CENTRAL];
  return [...new Set(urls.map((url) => url.replace(/\/+$/, "")))];
}

/** The repositories that a POM and its parents name. Nothing of the environment is put into their addresses. */
export function repositoriesOf(poms: Poms, pom: Pom, plugin: boolean): readonly string[] {
  const path = plugin ? ["pluginRepositories", "pluginRepository"] : ["repositories", "repository"];
  return poms
    .lineage(pom)
    .flatMap(({ project }) => descend(project, ...path))
    .filter((one) => valueIn(child(one, "releases"), "enabled")?.text !== "false")
    .map((one) => poms.text(pom, valueIn(one, "url")) ?? "")
    .filter((url) => /^https?:\/\//.test(url) && !url.includes("${") && URL.canParse(url));
}
