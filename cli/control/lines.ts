/** NDJSON: a stream of bytes becomes values, one a line. */

/** Longer lines are not what a daemon sends. */
const LONGEST = 64 * 1024 * 1024;

/** @throws SyntaxError for a line that is not JSON or does not end */
export async function* jsonLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    const [head = "", ...lines] = decoder.decode(chunk, { stream: true }).split("\n");
    rest.push(head);
    length += head.length;
    if (length > LONGEST) throw new SyntaxError("A line of the stream does not end.");
    for (const line of lines) {
      yield* value(rest.join(""));
      rest = [line];
      length = line.length;
    }
  }
}

function* value(line: string): Generator<unknown> {
  if (line.trim() !== "") yield JSON.parse(line);
}
