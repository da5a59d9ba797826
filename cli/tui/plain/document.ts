/** The dashboard without a terminal: the same data, as one document. */
import type { Control } from "../../control/client.js";
import type { Screens } from "../../plugin-api/screen.js";
import type { Model } from "../model/model.js";
import { ModelSource } from "../model/source.js";

/** What `reeve top --json` prints, beside the data of screens by their ids. Times are milliseconds since the epoch. */
export type TopDocument = Pick<
  Model,
  "panels" | "generations" | "pending" | "runs" | "events" | "logs"
> & {
  readonly status: NonNullable<Model["status"]>;
  readonly [screen: string]: unknown;
};

/** Milliseconds to wait for past events. */
const PATIENCE = 5000;

export async function fetchOnce(control: Control, screens: Screens): Promise<Model> {
  const source = new ModelSource(control, screens);
  await source.past(AbortSignal.timeout(PATIENCE));
  await source.ask({ pending: true, screens: screens.map(({ id }) => id), logs: true });
  return source.model;
}

export function documentOf({ status, data, ...model }: Model, screens: Screens): TopDocument {
  if (status === undefined) throw new TypeError("The daemon has not answered.");
  const { panels, generations, pending, runs, events, logs } = model;
  const own = screens
    .filter(({ id }) => data[id] !== undefined)
    .map(({ id, document = (all: unknown) => all }) => [id, document(data[id])]);
  return {
    ...Object.fromEntries(own),
    ...{ status, panels, generations, pending, runs, events, logs },
  };
}
