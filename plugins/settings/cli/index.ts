/** What this plugin brings to the command line. */
import { defineCli } from "reeve/cli";

export default defineCli({
  commands: {
    show: () => import("./show.js"),
    init: () => import("./init.js"),
    check: () => import("./check.js"),
    diff: () => import("./diff.js"),
    watch: () => import("./watch.js"),
    explain: () => import("./explain.js"),
    schema: () => import("./schema.js"),
    proxy: () => import("./proxy.js"),
    lsp: () => import("./lsp.js"),
  },
  screens: async () => [(await import("./screen.js")).settings],
});
