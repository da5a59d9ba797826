/** The commands and screens of this plugin, known without loading them. */
import type { BuiltInCliManifest } from "reeve/cli";

export const manifest: BuiltInCliManifest = {
  name: "hook",
  heading: "The daemon",
  summary: "inspect, test and run hooks",
  commands: {
    list: "list hooks with their call counts",
    runs: "list the runs of hooks",
    show: "show a hook or one of its runs",
    logs: "print the output of hook commands",
    explain: "explain how a hook decides a request",
    trigger: "trigger a hook with a request",
    replay: "replay the request of a run",
    cancel: "cancel a queued or active run",
    convert: "convert a hooks file to the language",
  },
  groups: {
    schedule: {
      summary: "inspect and run schedules",
      commands: {
        list: "list schedules with their next times",
        run: "run a schedule now",
      },
    },
    watch: {
      summary: "inspect and run watches",
      commands: {
        list: "list watches with their files",
        run: "run a watch's command now",
      },
    },
    task: {
      summary: "inspect and run tasks",
      commands: {
        list: "list tasks with their parameters",
        run: "run a task",
      },
    },
  },
  screens: ["hooks"],
};
