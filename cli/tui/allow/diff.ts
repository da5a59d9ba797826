/** Where two texts differ, as people read it: some lines around, `-` and `+` before those that are other. */

const CONTEXT = 2;

/** One place: from the first line that differs to the last. */
export function diffLines(before: string, after: string): readonly string[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shorter && old[same] === fresh[same]) same += 1;
  let tail = 0;
  while (tail < shorter - same && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, same - CONTEXT);
  const plain = (line: string) => `  ${line}`;
  return [
    ...old.slice(from, same).map(plain),
    ...old.slice(same, old.length - tail).map((line) => `- ${line}`),
    ...fresh.slice(same, fresh.length - tail).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT).map(plain),
  ];
}
