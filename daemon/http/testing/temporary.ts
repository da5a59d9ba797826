import type { ExecutionContext } from "ava";
import { folder } from "../../../tests/support/folder.js";

/** A directory that is gone after the test. */
export async function temporaryDirectory(t: ExecutionContext): Promise<string> {
  return folder(t);
}
