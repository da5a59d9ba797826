/** What this plugin brings to the command line. */
import { defineCli } from "reeve/cli";

export default defineCli({
  commands: {
    run: () => import("./run.js"),
    list: () => import("./list.js"),
    logs: () => import("./logs.js"),
    stats: () => import("./stats.js"),
    ask: () => import("./ask.js"),
    explain: () => import("./explain.js"),
  },
  screens: async () => [(await import("./screen.js")).firewall],
});
