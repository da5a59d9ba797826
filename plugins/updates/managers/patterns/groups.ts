/** The names of groups in a pattern. */

/** Those that Renovate uses. */
const others: Readonly<Record<string, string>> = {
  ...{ currentValue: "version", datasource: "source", depName: "name", currentDigest: "digest" },
};

export const groupName = (written: string): string => others[written] ?? written;

/** `packageName` names the package, too, and wins over `name`. */
export const groupsIn = (source: string): ReadonlySet<string> =>
  new Set(
    [...source.matchAll(/\(\?P?<(\w+)>/g)].map(([, name = ""]) =>
      name === "packageName" ? "name" : groupName(name),
    ),
  );
