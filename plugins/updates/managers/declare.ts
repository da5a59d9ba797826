/** Several paths lead to one declaration: a property, or a file that several projects read. */
import type { Declaration } from "./contract.js";

/** Adds `declaration` unless its range is known. A declaration for production replaces one for development. */
export function declare(declarations: Declaration[], declaration: Declaration): void {
  const { file, range, development } = declaration;
  const index = declarations.findIndex(
    (known) => known.file === file && known.range.start === range.start,
  );
  if (index === -1) declarations.push(declaration);
  else if (!development) declarations[index] = declaration;
}
