/** The dashboard without a terminal: the same data, as one document. */
import type { Control } from "../../control/client.js";
import type { Model } from "../model/model.js";
import { Source } from "../model/source.js";

/** What `reeve top --json` prints. Times are milliseconds since the epoch. */
export type TopDocument = Pick<Model, "panels" | "generations" | "runs" | "events"> & {
  readonly status: NonNullable<Model["status"]>;
};

/** Milliseconds to wait for what has happened. */
const PATIENCE = 5000;

/** Rejects when there is no daemon. */
export async function lookOnce(control: Control): Promise<Model> {
  await control.status();
  const source = new Source(control);
  await source.past(AbortSignal.timeout(PATIENCE));
  await source.ask({ pending: true });
  return source.model;
}

export function documentOf({ status, panels, generations, runs, events }: Model): TopDocument {
  if (status === undefined) throw new TypeError("The daemon has not answered.");
  return { status, panels, generations, runs, events };
}
