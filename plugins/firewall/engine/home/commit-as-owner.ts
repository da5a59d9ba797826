/** Takes changes of a home directory over as the user that it belongs to: root would follow links of that user. */
import { spawn } from "node:child_process";
import { isSea } from "node:sea";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { helperPath } from "../helpers.js";
import { type Commit, commitHome } from "./commit.js";
import type { HomeLayout } from "./layout.js";

const script = fileURLToPath(new URL("./commit-process.js", import.meta.url));

export async function commitAsOwner(layout: HomeLayout): Promise<Commit> {
  if (process.geteuid?.() !== 0 || layout.uid === 0) return commitHome(layout);
  const child = spawn(process.execPath, [script], {
    cwd: "/",
    env: { PATH: helperPath, ...(isSea() && { REEVE_MODULE: "1" }) },
    stdio: ["pipe", "pipe", "pipe"],
  });
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(layout));
  const [answer, reason] = await Promise.all([text(child.stdout), text(child.stderr)]);
  try {
    return JSON.parse(answer) as Commit;
  } catch {
    const problem = `${layout.home} (${reason.trim().split("\n").at(-1) || "its process was killed"})`;
    return { held: [], moved: [], problems: [problem], isComplete: false };
  }
}
