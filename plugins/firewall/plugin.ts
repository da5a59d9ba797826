/** The firewall plugin: sandboxes as blocks of the configuration and as a service for other plugins. */
import { type Block, c, definePlugin } from "reeve/plugin";
import { blocks, type SandboxValues } from "./blocks.js";

export default definePlugin({
  id: "firewall",
  title: "Firewall",
  api: 1,
  version: "0.1.0",
  doc: "Runs commands that can reach only allowed domains.",
  blocks,
  functions: {
    allowed: c.function({
      parameters: { sandbox: c.ref("sandbox"), subject: c.string() },
      returns: c.boolean(),
      doc: "Whether a sandbox allows a domain or URL; for `test` blocks.",
      run: async ({ values }: Block<SandboxValues>, subject: string) => {
        const { sandboxAllows: isAllowed } = await import("./daemon/allowed.js");
        return isAllowed(values, subject);
      },
    }),
  },
  permissions: { net: true, exec: true, read: true, write: true },
  // Only a main thread can receive the listening sockets that a namespace hands over.
  isolation: { default: "inline", supports: ["inline"] },
  validate: async ({ blocks: { sandbox } }, { host, report }) => {
    const { faultsOf } = await import("./daemon/sandbox-definition.js");
    for (const block of sandbox) {
      for (const { fault, host: isHost } of faultsOf(block, host)) {
        const range = block.rangeOf(fault.attribute);
        report(range, fault.message, { code: "unusable", host: isHost });
      }
    }
    const [first] = sandbox;
    if (!host || !first) return;
    const { lackOf } = await import("./engine/requirements.js");
    const lack = lackOf();
    if (lack === undefined) return;
    report(first.range, lack, { severity: "warning", code: "unavailable", host: true });
  },
  setup: async (context) => {
    const [{ FirewallInstance }, { controlRoutes }, { sandboxService }] = await Promise.all([
      import("./daemon/instance.js"),
      import("./daemon/control.js"),
      import("./daemon/service.js"),
    ]);
    const instance = new FirewallInstance(context);
    await context.http.control(controlRoutes(instance));
    context.services.provide("sandbox", sandboxService(instance));
    return instance;
  },
});
