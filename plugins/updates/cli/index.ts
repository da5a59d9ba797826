/** What this plugin brings to the command line. */
import { defineCli } from "reeve/cli";

export default defineCli({
  commands: {
    accounts: () => import("./accounts.js"),
    tokens: () => import("./tokens.js"),
    repos: () => import("./repos.js"),
    configs: () => import("./configs.js"),
    runs: () => import("./runs.js"),
    prs: () => import("./prs.js"),
    notify: () => import("./notify.js"),
    why: () => import("./why.js"),
    convert: () => import("./convert.js"),
    report: () => import("./report.js"),
  },
  screens: async () => [(await import("./screen.js")).updates],
});
