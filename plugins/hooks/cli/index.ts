/** What this plugin brings to the command line. */
import { defineCli } from "reeve/cli";

export default defineCli({
  commands: {
    list: () => import("./list.js"),
    runs: () => import("./runs.js"),
    show: () => import("./show.js"),
    logs: () => import("./logs.js"),
    explain: () => import("./explain.js"),
    trigger: () => import("./trigger.js"),
    replay: () => import("./replay.js"),
    cancel: () => import("./cancel.js"),
    convert: () => import("./convert.js"),
  },
  groups: {
    schedule: { list: () => import("./schedule-list.js"), run: () => import("./schedule-run.js") },
    watch: { list: () => import("./watch-list.js"), run: () => import("./watch-run.js") },
    task: { list: () => import("./task-list.js"), run: () => import("./task-run.js") },
  },
  screens: async () => [(await import("./screen.js")).hooks],
});
