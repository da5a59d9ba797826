/** The commands and screens of this plugin, known without loading them. */
import type { BuiltInCliManifest } from "reeve/cli";

export const manifest: BuiltInCliManifest = {
  name: "settings",
  heading: "Tools",
  summary: "inspect, check and serve language server settings",
  commands: {
    show: "show effective settings and their layers",
    init: "write a settings file to start with",
    check: "check settings files",
    diff: "compare settings with defaults or a version",
    watch: "print changes as they take effect",
    explain: "explain a setting and its value",
    schema: "print the JSON Schema of a server's settings",
    proxy: "proxy a language server and push settings",
    lsp: "run a language server for settings files",
  },
  screens: ["settings"],
};
