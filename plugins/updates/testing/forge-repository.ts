/** The repository of the small code host, in the shapes of its three APIs. */
import type { ForgeKind } from "./forge-checks.js";

export function forgeRepository(
  kind: ForgeKind,
  origin: string,
  name: string,
  may: "push" | "read",
): object {
  const clone = `${origin}/git/acme/site.git`;
  const url = `${origin}/acme/site`;
  if (kind === "gitlab")
    return {
      ...{ id: 7, path: name, visibility: "private", web_url: url, http_url_to_repo: clone },
      namespace: { id: 3, full_path: "acme", kind: "group" },
      default_branch: "main",
      permissions: {
        project_access: { access_level: may === "push" ? 30 : 20 },
        group_access: null,
      },
    };
  return {
    ...{ id: 7, name, private: true, fork: false, html_url: url, clone_url: clone },
    owner: { id: 3, login: "acme", username: "acme", type: "Organization" },
    default_branch: "main",
    language: "JavaScript",
    permissions: { admin: false, push: may === "push", pull: true },
  };
}
