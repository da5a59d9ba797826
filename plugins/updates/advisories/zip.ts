/** Reads large zips with one entry in memory at a time, and yields to the event loop between chunks. */
import { createReadStream } from "node:fs";
import { Unzip, UnzipInflate } from "fflate";

const SIGNATURE = "PK";

/** @throws Error if the file is no zip, or truncated */
export async function eachInZip(
  file: string,
  take: (name: string, text: string) => void,
): Promise<void> {
  let failure: Error | undefined;
  let open = 0;
  let isEmpty = true;
  const unzip = new Unzip((entry) => {
    const decoder = new TextDecoder();
    let text = "";
    open += 1;
    entry.ondata = (error, data, isLast) => {
      if (error) failure ??= error;
      if (error || failure) return;
      text += decoder.decode(data, { stream: !isLast });
      if (!isLast) return;
      open -= 1;
      take(entry.name, text);
    };
    entry.start();
  });
  unzip.register(UnzipInflate);
  for await (const piece of createReadStream(file) as AsyncIterable<Buffer>) {
    if (isEmpty && piece.toString("latin1", 0, SIGNATURE.length) !== SIGNATURE)
      throw new Error("the file is no zip");
    isEmpty = false;
    unzip.push(piece);
    if (failure) throw failure;
  }
  unzip.push(new Uint8Array(0), true);
  if (isEmpty || open > 0) throw failure ?? new Error("the file is truncated");
}
