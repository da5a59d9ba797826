/** Functions on POSIX paths, as text: nothing here looks at a disk. */
import { posix } from "node:path";
import { STRING } from "../types/type.js";
import type { FunctionSignature } from "./signature.js";

export const pathFunctions: readonly FunctionSignature[] = [
  {
    name: "path_join",
    doc: "One path of several parts, `.` and `..` resolved.",
    parameters: [{ name: "parts", type: STRING, rest: true }],
    returns: STRING,
    examples: [['path_join("/srv", "app", "../www")', '"/srv/www"']],
    apply: (...parts: readonly string[]) => posix.join(...parts),
  },
  {
    name: "dirname",
    doc: "The path without its last part.",
    parameters: [{ name: "path", type: STRING }],
    returns: STRING,
    examples: [['dirname("/etc/reeve/main.reeve")', '"/etc/reeve"']],
    apply: (path: string) => posix.dirname(path),
  },
  {
    name: "basename",
    doc: "The last part of a path, without `suffix` where it ends with it.",
    parameters: [
      { name: "path", type: STRING },
      { name: "suffix", type: STRING, optional: true },
    ],
    returns: STRING,
    examples: [
      ['basename("/etc/reeve/main.reeve")', '"main.reeve"'],
      ['basename("main.reeve", ".reeve")', '"main"'],
    ],
    apply: (path: string, suffix?: string) => posix.basename(path, suffix),
  },
];
