import type { ExecutionContext } from "ava";
import { type ControlServer, createControlServer } from "../control/control.js";
import { RouteMounts } from "../control/mounts.js";
import { type Answer, ask } from "./client.js";
import { type ControlFixture, subjects } from "./subjects.js";
import { temporaryDirectory } from "./temporary.js";

export interface OpenControl {
  readonly path: string;
  readonly mounts: RouteMounts;
  readonly control: ControlServer;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
}

/** The control API on a socket of its own. */
export async function openControl(
  t: ExecutionContext,
  stage: ControlFixture,
): Promise<OpenControl> {
  const path = `${await temporaryDirectory(t)}/run/control.sock`;
  const mounts = new RouteMounts();
  const control = await createControlServer(subjects(stage, path), mounts, { shared: false });
  t.teardown(() => control.close());
  await control.open();
  const json = { "content-type": "application/json" };
  return {
    path,
    mounts,
    control,
    get: (url) => ask(`unix:${path}`, url),
    post: (url, body) =>
      ask(`unix:${path}`, url, {
        method: "POST",
        ...(body !== undefined && { body: JSON.stringify(body), headers: json }),
      }),
  };
}
