/** Settings: files that configure language servers, watched, checked, and delivered while the servers run. */
import { definePlugin } from "reeve/plugin";
import { blocks } from "./blocks.js";

export default definePlugin({
  id: "settings",
  title: "Settings",
  api: 1,
  version: "0.1.0",
  doc: "Watches the settings files of language servers, says what is wrong in them, and delivers changes to servers that run.",
  blocks,
  permissions: { read: true, write: true },
  isolation: { default: "inline", supports: ["inline", "worker", "process"] },
  validate: async (configuration, check) => {
    const { validate } = await import("./validate.js");
    await validate(configuration, check);
  },
  setup: async (context) => {
    // Only what configurations without settings need is loaded with the description.
    const [{ SettingsInstance }, { controlRoutes }] = await Promise.all([
      import("./instance.js"),
      import("./control.js"),
    ]);
    const instance = new SettingsInstance(context);
    await context.http.control(
      controlRoutes(
        () => instance.running,
        () => context.clock.now(),
      ),
    );
    return instance;
  },
});
