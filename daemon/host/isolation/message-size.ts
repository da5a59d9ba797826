/** About how many bytes a message takes while it is sent and after it has arrived. */

/** Of a value that is no text and no buffer. */
const VALUE = 8;

export function messageSize(message: unknown): number {
  const seen = new Set<object>();
  const waiting: unknown[] = [message];
  let size = 0;
  while (waiting.length > 0) {
    const value = waiting.pop();
    size += VALUE;
    if (typeof value === "string") size += value.length;
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) size += value.byteLength;
    else for (const part of partsOf(value)) waiting.push(part);
  }
  return size;
}

const partsOf = (value: object): Iterable<unknown> =>
  Array.isArray(value) || value instanceof Set
    ? value
    : (value instanceof Map ? [...value] : Object.entries(value)).flat();
