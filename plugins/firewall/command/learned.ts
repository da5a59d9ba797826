/** `--learn`: from what a command reached to the smallest list that would allow it. */
import type { RequestTally } from "./request-tally.js";

/** Entries in alphabetical order; a prefix where only one protocol was used, no name that another entry covers. */
export function smallestAllowList(reached: RequestTally["allowed"]): string[] {
  const entries = [...reached].map(([name, how]) => ({
    name,
    protocol: how.size === 1 ? [...how][0] : undefined,
  }));
  const needed = entries.filter(
    ({ name, protocol }) =>
      !entries.some(
        (other) =>
          name.endsWith(`.${other.name}`) &&
          (other.protocol === undefined || other.protocol === protocol),
      ),
  );
  return needed
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, protocol }) => (protocol === undefined ? name : `${protocol}://${name}`));
}

/** What to put on the command line, and the same as a block of the configuration. */
export function learnedText(entries: readonly string[]): string {
  if (entries.length === 0) return "The command reached no domain; it needs no --allow-domains.";
  const block = [
    'sandbox "learned" {',
    "  allow = [",
    ...entries.map((entry) => `    ${JSON.stringify(entry)},`),
    "  ]",
    "}",
  ];
  return [
    `To allow what the command reached: --allow-domains "${entries.join(",")}"`,
    "",
    ...block,
  ].join("\n");
}
