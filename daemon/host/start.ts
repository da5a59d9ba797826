/** How an instance comes to be: its gifts, its code in the isolation it is to have, within the deadlines. */
import type { PluginSource } from "../catalog/source.js";
import { DEADLINES, within } from "./deadline.js";
import { type GiftSources, openGifts } from "./gifts/gifts.js";
import { startInline } from "./instance/inline.js";
import type { Instance, Part, Preparation } from "./instance/instance.js";
import type { Circumstances } from "./supervision/circumstances.js";
import type { Quarantine } from "./supervision/quarantine.js";

export interface StartOptions extends GiftSources {
  readonly quarantine: Quarantine;
}

export function starter(options: StartOptions): Pick<Circumstances, "start" | "prepare"> {
  const { clock, quarantine } = options;
  /** Code in this process can take the daemon with it. */
  const careful = <Result>(
    { isolation, description }: PluginSource,
    work: () => Promise<Result>,
  ): Promise<Result> =>
    isolation === "process" ? work() : quarantine.atRisk(description.id, work);

  async function start(source: PluginSource, signal: AbortSignal | undefined): Promise<Instance> {
    const { id } = source.description;
    const gifts = await openGifts(id, options);
    let late = false;
    const starting = startInline(await source.definition(), gifts);
    try {
      return await within(clock, DEADLINES.setup, "start", signal, () => starting);
    } catch (thrown) {
      late = true;
      throw thrown;
    } finally {
      if (late) {
        await gifts.dispose();
        await gifts.doors.close();
      }
    }
  }

  return {
    start: (source, signal) => careful(source, () => start(source, signal)),
    prepare: (source, instance, part: Part, signal): Promise<Preparation> =>
      careful(source, () =>
        within(clock, DEADLINES.prepare, "prepare", signal, (inner) =>
          instance.prepare(part, inner),
        ),
      ),
  };
}
