/** Parses a request's target. */

type Target =
  | { readonly kind: "root" }
  | { readonly kind: "hook"; readonly id: string }
  | { readonly kind: "elsewhere" }
  /** The same path, normalized. */
  | { readonly kind: "moved"; readonly to: string }
  | { readonly kind: "bad" };

export interface SplitTarget {
  readonly target: Target;
  /** Without the question mark. */
  readonly query: string;
}

/** `written`: as in the request line; `prefix`: without slashes at its ends. */
export function targetOf(written: string, prefix: string): SplitTarget {
  const whole = written.startsWith("/")
    ? written
    : written.replace(/^https?:\/\/[^/?]*/i, "") || "/";
  const mark = whole.indexOf("?");
  const encoded = mark === -1 ? whole : whole.slice(0, mark);
  const query = mark === -1 ? "" : whole.slice(mark + 1);
  if (encoded.includes("%") && /%(?![0-9A-Fa-f]{2})/.test(encoded)) {
    return { target: { kind: "bad" }, query };
  }
  const path = decoded(encoded);
  const clean = CLEAN.test(path) ? path : cleaned(path);
  if (clean !== path) {
    const to = encodeURI(clean).replaceAll("?", "%3F").replaceAll("#", "%23");
    return { target: { kind: "moved", to: query === "" ? to : `${to}?${query}` }, query };
  }
  return { target: within(path, prefix), query };
}

function within(path: string, prefix: string): Target {
  if (path === "/") return { kind: "root" };
  const start = prefix === "" ? "/" : `/${prefix}/`;
  return path.startsWith(start)
    ? { kind: "hook", id: path.slice(start.length) }
    : { kind: "elsewhere" };
}

function decoded(path: string): string {
  if (!path.includes("%")) return path;
  const bytes = path
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((part) => (/^%..$/.test(part) ? Buffer.from(part.slice(1), "hex") : Buffer.from(part)));
  return Buffer.concat(bytes).toString("utf8");
}

/** What `cleaned` leaves alone; all but a few paths. */
const CLEAN = /^(?:\/(?!\.)[^/]+)+$/;

/** Without empty segments, `.` and `..`; keeps a trailing slash. */
function cleaned(path: string): string {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  const clean = `/${steps.join("/")}`;
  return path.endsWith("/") && clean !== "/" ? `${clean}/` : clean;
}
