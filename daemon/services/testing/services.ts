/** Real services in a directory of their own, gone after the test. */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { Ending } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import type { DaemonServices, ServiceOptions } from "../contract.js";
import { type InstanceServices, instanceServices } from "../instance-services.js";
import { openServices } from "../services.js";

export function temporaryDirectory(t: Ending): string {
  return folder(t);
}

/** Keeps the lines of a log. */
export class Lines extends Writable {
  text = "";
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
  get all(): ReadonlyArray<Record<string, unknown>> {
    return this.text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

export const optionsIn = (
  directory: string,
  options: Partial<ServiceOptions> = {},
): ServiceOptions => ({
  directories: {
    state: join(directory, "state"),
    cache: join(directory, "cache"),
    temporary: join(directory, "temporary"),
  },
  logLevel: "debug",
  logFormat: "json",
  logStream: new Lines(),
  ...options,
});

/** Services that are closed when the test ends, in a new directory or a given one. */
export async function kitFor(
  t: Ending,
  options: Partial<ServiceOptions> = {},
  directory = temporaryDirectory(t),
): Promise<DaemonServices> {
  const kit = await openServices(optionsIn(directory, options));
  t.teardown(() => kit.close());
  return kit;
}

/** The services of one plugin instance. */
export function contextOf(
  kit: DaemonServices,
  plugin = "sample",
  generation = 1,
  configuration = tmpdir(),
): { readonly context: InstanceServices; dispose(): Promise<void> } {
  const { scope, close } = kit.openScope({ plugin, generation: () => generation, configuration });
  return { context: instanceServices(scope), dispose: close };
}

/** Resolves when `holds` does: for what another process, or the event loop, is about to do. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = String(holds),
): Promise<void> {
  await eventually(what, holds);
}
