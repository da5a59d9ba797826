/** Frees 100 MiB in small pieces, of which some are kept, and prints the resident MiB before the release and after it. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { nativeMemory } from "../native-memory.js";

const PIECE = 32 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const resident = () => Math.round(process.memoryUsage.rss() / 1024 / 1024);

let pieces = Array.from({ length: 3200 }, () => Buffer.allocUnsafeSlow(PIECE).fill(1));
pieces = pieces.filter((_, index) => index % 100 === 99);
// The second one waits for the first to free everything.
for (let time = 0; time < 2; time += 1) collect();
const before = resident();
await nativeMemory().release();
process.stdout.write(JSON.stringify({ before, after: resident(), kept: pieces.length }));
