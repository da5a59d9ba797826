/** Where file systems are mounted on the host. */
import { readFileSync } from "node:fs";

/** The fifth field of each line; blanks and some other characters are in octal. */
export function hostMountPoints(): string[] {
  return readFileSync("/proc/self/mountinfo", "utf8")
    .trimEnd()
    .split("\n")
    .map((line) =>
      (line.split(" ")[4] ?? "/").replace(/\\(\d{3})/g, (_, octal: string) =>
        String.fromCharCode(Number.parseInt(octal, 8)),
      ),
    );
}
