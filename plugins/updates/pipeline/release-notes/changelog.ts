/** The part of a changelog that is about the versions between two. Pure. */

/** Names of changelogs, the likeliest first. */
export const CHANGELOGS = /^(changelog|changes|history|releases?|news)(\.(md|markdown|rst|txt))?$/i;

const HEADING =
  /^(?:#{1,4}\s+|={2,4}\s+|\*\*)?\[?(?:[\w@/.-]+?[@ ])?v?(\d+(?:\.\d+)+(?:-[\w.]+)?)\]?/;

/**
 * From the heading of `to` to the one of `from` or of anything before it; undefined where no heading says `to`.
 * `isOlder`: whether the first version is `from` or older.
 */
export function excerpt(
  text: string,
  to: string,
  isOld: (version: string) => boolean,
): string | undefined {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const headings = lines.flatMap((line, index) => {
    const isHeading = /^(#{1,4}\s|={2,4}\s|\*\*|\[?v?\d)/.test(line);
    const next = lines[index + 1] ?? "";
    const isUnderlined = /^(={3,}|-{3,})$/.test(next.trim());
    const isMarked = /^(#|=|\*\*)/.test(line);
    const version = isHeading && (isMarked || isUnderlined) ? HEADING.exec(line)?.[1] : undefined;
    return version === undefined ? [] : [{ index, version }];
  });
  const start = headings.findIndex(({ version }) => version === to);
  if (start < 0) return undefined;
  const end = headings.slice(start + 1).find(({ version }) => isOld(version));
  return lines.slice(headings[start]?.index, end?.index).join("\n").trim();
}
