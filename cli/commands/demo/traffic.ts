/** Calls the hooks, with valid and invalid signatures, and edits files, so that every screen has data. */
import { createHmac } from "node:crypto";
import { request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { SECRET, socketOf } from "./configuration.js";
import type { DemoDaemon } from "./demo-daemon.js";
import { releases } from "./releases.js";

/** Milliseconds between two calls, and between two edits. */
const EVERY = { call: 250, edit: 4000 } as const;

const HOOKS = [
  "fetch",
  "build",
  "tests",
  "signed",
  "build",
  "deploy",
  "tests",
  "forged",
  "report",
  "missing",
];

/** Until `signal` is aborted. */
export async function traffic(stage: DemoDaemon, signal: AbortSignal): Promise<void> {
  const { registry } = stage;
  await Promise.all([
    calls(stage, signal),
    edits(stage, signal),
    releases(stage, registry, signal),
  ]);
}

async function calls({ directory }: DemoDaemon, signal: AbortSignal): Promise<void> {
  for (let index = 0; !signal.aborted; index += 1) {
    call(socketOf(directory), HOOKS[index % HOOKS.length] ?? "build", signal);
    await delay(EVERY.call, undefined, { signal }).catch(() => undefined);
  }
}

/** What becomes of it is seen on the dashboard. */
function call(socketPath: string, hook: string, signal: AbortSignal): void {
  const body = JSON.stringify({ at: Date.now() });
  const key = hook === "forged" ? "guessed" : SECRET;
  const digest = createHmac("sha256", key).update(body).digest("hex");
  const headers = { "content-type": "application/json", "x-hub-signature-256": `sha256=${digest}` };
  const path = `/hooks/${hook === "forged" ? "signed" : hook}`;
  const sent = request({ socketPath, path, method: "POST", headers, signal });
  sent.on("response", (response) => response.on("error", () => undefined).resume());
  sent.on("error", () => undefined);
  sent.end(body);
}

async function edits(stage: DemoDaemon, signal: AbortSignal): Promise<void> {
  for (let edit = 1; !signal.aborted; edit += 1) {
    await delay(EVERY.edit, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) stage.edit(edit);
  }
}
