/** Blocks the threads that Node shares among file operations, as four reads of a dead network disk do. */
import { closeSync, constants, openSync, readFile } from "node:fs";
import { join } from "node:path";
import { type Ending, output } from "./child.js";
import { folder } from "./folder.js";

/** Of this process, until the test ends or what it returns is called. */
export function blockPool(t: Ending): () => void {
  const fifo = join(folder(t), "fifo");
  output("mkfifo", [fifo]);
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4);
  for (let thread = 0; thread < threads; thread += 1) readFile(fifo, () => undefined);
  let isBlocked = true;
  const release = (): void => {
    if (!isBlocked) return;
    isBlocked = false;
    closeSync(openSync(fifo, constants.O_RDWR));
  };
  t.teardown(release);
  return release;
}
