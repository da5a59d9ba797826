/** Several ways lead to one place: a property, or a file that several projects read. */
import type { Declaration } from "./contract.js";

/** Adds `declaration`, unless its place is known. What is needed in production anywhere is needed in production. */
export function declare(declarations: Declaration[], declaration: Declaration): void {
  const { file, range, development } = declaration;
  const at = declarations.findIndex(
    (known) => known.file === file && known.range.start === range.start,
  );
  if (at === -1) declarations.push(declaration);
  else if (!development) declarations[at] = declaration;
}
