/** Matches names against patterns; `*` matches any part. */

export function matchesName(pattern: string, name: string): boolean {
  if (!pattern.includes("*")) return pattern.toLowerCase() === name.toLowerCase();
  const source = pattern
    .split("*")
    .map((part) => part.replace(/[.*+?^$()|[\]{}\\]/g, "\\$&"))
    .join(".*");
  return new RegExp(`^${source}$`, "is").test(name);
}
