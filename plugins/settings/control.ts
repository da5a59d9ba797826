/** The plugin's part of the control API: what is in force, where it comes from, and what it was before. */
import type { Routes } from "reeve/plugin";
import { PushTargets } from "./push-targets.js";
import type { SettingsRuntime } from "./settings-runtime.js";

/** `running` is asked anew for every request; `now` is in milliseconds since the epoch. */
export const controlRoutes =
  (running: () => readonly SettingsRuntime[], now: () => number): Routes =>
  (app) => {
    const attached = new PushTargets();
    const find = (name: string): SettingsRuntime | undefined =>
      running().find(({ source }) => source.name === name);
    const unknown = (name: string) => ({
      type: "urn:reeve:settings.unknown",
      title: "Not found",
      status: 404,
      code: "settings.unknown",
      detail: `There are no settings "${name}" in the configuration.`,
    });

    app.get("/", () => ({
      settings: running().map(({ snapshot }) => ({
        ...snapshot,
        servers: attached.of(snapshot.name),
      })),
    }));
    app.get<{ Params: { name: string } }>("/:name", ({ params: { name } }, reply) => {
      const found = find(name);
      if (found) return found.snapshot;
      return reply.code(404).type("application/problem+json").send(unknown(name));
    });
    app.get<{ Params: { name: string }; Querystring: { pid?: string; server?: string } }>(
      "/:name/delivery",
      ({ params: { name }, query: { pid = "", server = "" } }, reply) => {
        const found = find(name);
        if (found) {
          const { version } = found.snapshot;
          if (/^[1-9]\d{0,9}$/.test(pid)) {
            attached.note(name, { pid: Number(pid), server, version, at: now() });
          }
          return found.delivery;
        }
        return reply.code(404).type("application/problem+json").send(unknown(name));
      },
    );
    app.get<{ Params: { name: string } }>("/:name/versions", ({ params: { name } }, reply) => {
      const found = find(name);
      if (found) return { versions: found.versions };
      return reply.code(404).type("application/problem+json").send(unknown(name));
    });
  };
