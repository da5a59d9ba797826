/** Extracts the part of a changelog between two versions. Pure. */

/** File names of changelogs. */
export const CHANGELOGS = /^(changelog|changes|history|releases?|news)(\.(md|markdown|rst|txt))?$/i;

const HEADING =
  /^(?:#{1,4}\s+|={2,4}\s+|\*\*)?\[?(?:[\w@/.-]+?[@ ])?v?(\d+(?:\.\d+)+(?:-[\w.]+)?)\]?/;

/**
 * From the heading of `to` up to the first heading with `from` or an older version; `undefined` without a heading for `to`.
 * `isOld`: whether the version is `from` or older.
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
