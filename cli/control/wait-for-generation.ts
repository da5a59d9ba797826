/** Waits until it is certain what became of a generation. */
import type { GenerationDetail } from "../../daemon/http/control/api.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import type { Control } from "./client.js";
import { watch } from "./watch.js";

/**
 * Resolves with the generation once its probation is over, or as it is when `signal` is aborted.
 * @throws Failure when the daemon goes away before that
 */
export async function waitForGeneration(
  control: Control,
  started: GenerationDetail,
  signal: AbortSignal,
): Promise<GenerationDetail> {
  if (!isOpen(started)) return started;
  let latest = started;
  for await (const line of watch(control, { signal })) {
    if (line.line === "lost") {
      throw new Failure(
        Exit.unavailable,
        `generation ${started.number} runs on probation, and then ${line.reason}`,
        {
          help: "`reeve history` says what became of it, once the daemon is there again.",
        },
      );
    }
    if (line.line === "event" && !line.type.startsWith("config.")) continue;
    latest = await control.generation(started.number);
    if (!isOpen(latest)) break;
  }
  return latest;
}

const isOpen = ({ state }: GenerationDetail): boolean =>
  state === "attempting" || state === "probation";
