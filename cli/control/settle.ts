/** Waits until it is certain what became of a generation. */
import type { GenerationDetail } from "../../daemon/http/control/api.js";
import type { Control } from "./client.js";
import { watch } from "./watch.js";

/** Resolves with the generation once its probation is over, or as it is when `signal` is aborted. */
export async function settled(
  control: Control,
  begun: GenerationDetail,
  signal: AbortSignal,
): Promise<GenerationDetail> {
  if (!isOpen(begun)) return begun;
  let latest = begun;
  for await (const line of watch(control, { signal })) {
    if (line.line === "lost") continue;
    if (line.line === "event" && !line.type.startsWith("config.")) continue;
    latest = await control.generation(begun.number);
    if (!isOpen(latest)) break;
  }
  return latest;
}

const isOpen = ({ state }: GenerationDetail): boolean =>
  state === "attempting" || state === "probation";
