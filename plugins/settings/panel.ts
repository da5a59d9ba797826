/** What the dashboard shows of settings. */
import type { Panel } from "reeve/plugin";
import type { SettingsRuntime } from "./settings-runtime.js";

export function settingsPanel(all: readonly SettingsRuntime[]): Panel {
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
    rows: all.map(({ source, summary: { files, set, version, changedAt, broken } }) => ({
      settings: source.name,
      files,
      set,
      version,
      changed: changedAt,
      broken,
    })),
  };
}
