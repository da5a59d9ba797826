/** What the dashboard shows of settings. */
import type { Panel } from "reeve/plugin";
import type { RunningSettings } from "./running.js";

export function settingsPanel(all: readonly RunningSettings[]): Panel {
  return {
    kind: "table",
    id: "settings",
    title: "Settings",
    columns: [
      { id: "settings", title: "Settings" },
      { id: "files", title: "Files", format: "number" },
      { id: "set", title: "Set", format: "number" },
      { id: "version", title: "Version", format: "number", priority: 1 },
      { id: "changed", title: "Changed", format: "time", priority: 1 },
      { id: "broken", title: "Broken", format: "number" },
    ],
    rows: all.map(({ told }) => ({
      settings: told.name,
      files: told.files.filter(({ state }) => state !== "missing").length,
      set: told.settings.filter(({ origin }) => origin !== "default").length,
      version: told.version,
      changed: told.changedAt,
      broken: told.files.filter(({ state }) => state === "broken" || state === "last_good").length,
    })),
  };
}
