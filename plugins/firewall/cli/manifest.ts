/** The commands and screens of this plugin, known without loading them. */
import type { BuiltInCliManifest } from "reeve/cli";

export const manifest: BuiltInCliManifest = {
  name: "sandbox",
  heading: "Tools",
  summary: "run and inspect sandboxed commands",
  commands: {
    run: "run a command in a sandbox",
    list: "list sandboxes and their active commands",
    logs: "print the requests of a sandbox",
    stats: "count requests by domain",
    ask: "list questions about domains, or answer one",
    explain: "explain the verdict for a domain or URL",
  },
  screens: ["firewall"],
};
