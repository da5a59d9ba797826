/** Addresses of remote kustomizations: a repository, a path in it, and a reference. */

interface Remote {
  readonly url: string;
  readonly reference: string;
  /** Where the reference starts. */
  readonly at: number;
}

const HEAD = /^((?:https?|ssh|file):\/\/)?([\w.-]+@)?([\w.-]*(?::\d+)?)[:/]/;

/** `https://host/owner/name//path?ref=v1`. Without `//` or `.git`, the first two names are the repository. */
export function readRemote(whole: string): Remote | undefined {
  const skipped = whole.startsWith("git::") ? 5 : 0;
  const written = whole.slice(skipped);
  const mark = written.indexOf("?");
  const [head = "", scheme, user, host = ""] = HEAD.exec(written) ?? [];
  // A local path has neither.
  if (mark < 0 || !(scheme ?? user ?? /[\w-]\.[\w-]/.exec(host))) return undefined;
  const path = repositoryIn(written.slice(head.length, mark));
  const query = written.slice(mark + 1).split("&");
  const index = query.findIndex((part) => part.startsWith("ref="));
  const reference = query[index]?.slice("ref=".length) ?? "";
  if (path === undefined || reference === "") return undefined;
  const before = query.slice(0, index).reduce((length, part) => length + part.length + 1, 0);
  const address = head + path;
  return {
    url: scheme === undefined && user === undefined ? `https://${address}` : address,
    reference,
    at: skipped + mark + 1 + before + "ref=".length,
  };
}

function repositoryIn(path: string): string | undefined {
  const [suffixed] = path.split(/\.git(?=\/|$)/, 1);
  if (suffixed !== undefined && suffixed !== path) return suffixed;
  const separator = path.indexOf("//");
  if (separator > 0) return path.slice(0, separator);
  const names = path.split("/").filter((name) => name !== "");
  return names.length < 2
    ? undefined
    : `${path.startsWith("/") ? "/" : ""}${names.slice(0, 2).join("/")}`;
}
