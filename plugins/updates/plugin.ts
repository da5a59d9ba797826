/** The plugin for dependency updates: the API that configures them and the pipeline that makes them. */
import { definePlugin } from "reeve/plugin";
import { blocks } from "./blocks/blocks.js";
import { migrations } from "./store/migrations.js";

export default definePlugin({
  id: "updates",
  title: "Updates",
  api: 1,
  version: "0.1.0",
  doc: "Keeps the dependencies of repositories up to date: a release becomes a branch, a pull request and, where the rules allow it, a merge.",
  blocks,
  permissions: { listen: true, net: true, exec: true, read: true, write: true },
  isolation: { default: "inline", supports: ["inline", "worker"] },
  migrations,
  validate: ({ blocks: { updates } }, { report, listens }) => {
    const [block, second] = updates;
    if (block) listens(block.rangeOf("listen"), block.values.listen);
    if (!second) return;
    report(second.range, "A daemon has at most one `updates` block.", {
      code: "second",
      help: "Put everything into one block, or run another daemon.",
    });
  },
  setup: async (context) => {
    // A configuration without updates loads only the description.
    const [{ UpdatesInstance }, { openStore }] = await Promise.all([
      import("./instance.js"),
      import("./store/store.js"),
    ]);
    const instance = new UpdatesInstance(context, await openStore(context));
    await context.http.control(instance.control);
    return instance;
  },
});
