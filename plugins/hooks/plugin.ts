/** The hooks plugin: HTTP requests run commands. */
import { definePlugin } from "reeve/plugin";
import { blocks } from "./blocks/blocks.js";
import { controlRoutes } from "./control/routes.js";
import { HooksInstance } from "./instance.js";

export default definePlugin({
  id: "hooks",
  title: "Hooks",
  api: 1,
  version: "0.1.0",
  doc: "Runs commands for HTTP requests and at scheduled times: verified, checked, bounded, recorded.",
  blocks,
  permissions: { listen: true, exec: true, env: true, read: true },
  isolation: { default: "inline", supports: ["inline", "worker", "process"] },
  validate: async (configuration, check) => {
    const { inspect } = await import("./inspect.js");
    await inspect(configuration, check);
  },
  setup: async (context) => {
    const instance = new HooksInstance(context);
    await context.http.control(controlRoutes(instance.control));
    return instance;
  },
});
