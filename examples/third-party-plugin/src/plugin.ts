/** Uptime: asks web sites whether they are there, remembers the answers, shows badges. */
import { c, definePlugin } from "reeve/plugin";
import { blocks } from "./blocks.js";
import { Uptime } from "./instance.js";

export default definePlugin({
  id: "uptime",
  title: "Uptime",
  api: 1,
  doc: "Asks web sites whether they are there, remembers the answers, shows badges.",
  blocks,
  functions: {
    https: c.function({
      doc: 'The address of a path on a host: `https("shop.example", "health")`.',
      parameters: { host: c.string(), path: c.string() },
      returns: c.string(),
      run: (host: string, path: string) => `https://${host}/${path.replace(/^\/+/, "")}`,
    }),
  },
  permissions: { net: true, listen: true },
  isolation: { default: "worker", supports: ["inline", "worker", "process"] },
  async setup(context) {
    const uptime = new Uptime(context);
    await uptime.serveControl();
    return uptime;
  },
});
