/** The pages of SQLite's table of tables: https://sqlite.org/fileformat2.html#b_tree_pages. Its root is the first page. */

const headerLength = 100;
const tableInterior = 5;

/** The pages below the first one; none where that holds all of it. Those below them, of a very large schema, are left out. */
export function schemaChildren(first: Buffer): readonly number[] {
  if (first.readUInt8(headerLength) !== tableInterior) return [];
  const cells = first.readUInt16BE(headerLength + 3);
  const children = [first.readUInt32BE(headerLength + 8)];
  for (let cell = 0; cell < cells; cell += 1) {
    const pointer = headerLength + 12 + 2 * cell;
    if (pointer + 2 > first.length) break;
    const at = first.readUInt16BE(pointer);
    if (at + 4 <= first.length) children.push(first.readUInt32BE(at));
  }
  return children;
}
