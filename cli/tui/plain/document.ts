/** The dashboard without a terminal: the same data, as one document. */
import type { Control } from "../../control/client.js";
import type { Model } from "../model/model.js";
import { ModelSource } from "../model/source.js";

/** What `reeve top --json` prints. Times are milliseconds since the epoch. */
export type TopDocument = Pick<
  Model,
  "panels" | "generations" | "pending" | "runs" | "events" | "logs" | "updates"
> & {
  readonly status: NonNullable<Model["status"]>;
  /** Without the lines that are shown above carets: the files have them. */
  readonly settings: ReadonlyArray<Omit<Model["settings"][number], "lines">>;
};

/** Milliseconds to wait for what has happened. */
const PATIENCE = 5000;

/** Rejects when there is no daemon. */
export async function fetchOnce(control: Control): Promise<Model> {
  await control.status();
  const source = new ModelSource(control);
  await source.past(AbortSignal.timeout(PATIENCE));
  await source.ask({ pending: true, settings: true, updates: true, logs: true });
  return source.model;
}

export function documentOf({ status, settings, ...model }: Model): TopDocument {
  if (status === undefined) throw new TypeError("The daemon has not answered.");
  const { panels, generations, pending, runs, events, logs, updates } = model;
  return {
    ...{ status, panels, generations, pending, runs, events, logs, updates },
    settings: settings.map(({ lines: _, ...each }) => each),
  };
}
