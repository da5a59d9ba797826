/** Releases and comparisons of other repositories on the code host, in the shapes of all three APIs at once. */

/** By `account/name tag`. */
export type Released = Map<string, { readonly notes: string; readonly commits: readonly string[] }>;

/** Undefined for other paths. */
export function releasedAt(
  released: Released,
  path: string,
  query: URLSearchParams,
): readonly [status: number, body?: unknown] | undefined {
  const [, name, rest = ""] =
    /^\/(?:repos|projects)\/(acme\/left-foo|secret\/thing)(\/.*)?$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const isPrivate = name.startsWith("secret/");
  if (rest === "")
    return [200, { private: isPrivate, visibility: isPrivate ? "private" : "public" }];
  const tag = query.get("to") ?? rest.split(/\/|\.\.\./).at(-1);
  const found = released.get(`${name} ${tag}`);
  if (!found) return [404, { message: "Not Found" }];
  if (!rest.includes("/compare")) return [200, { body: found.notes, description: found.notes }];
  const commits = found.commits.map((message, index) => ({
    ...{ sha: String(index).repeat(40), id: String(index).repeat(40), title: message },
    commit: { message },
  }));
  return [200, { commits }];
}
