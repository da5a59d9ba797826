/** What is written in the configuration. */
import { type Configuration, c } from "reeve/plugin";

const site = c.block({
  doc: "A web site that is asked again and again whether it is there.",
  label: c.name().doc("Its name on badges, in panels and metrics."),
  reload: "live",
  examples: ['site "shop" {\n  url = "https://shop.example/health"\n}'],
  attrs: {
    url: c
      .string()
      .reload("restart")
      .check((url) =>
        /^https?:$/.test(URL.parse(url)?.protocol ?? "")
          ? undefined
          : "a site has an address that begins with http:// or https://",
      )
      .doc(
        "What is asked, with GET. Another address is another site: what was known is forgotten.",
      ),
    every: c.duration().min(100).default("1m").doc("How often it is asked."),
    timeout: c.duration().min(1).default("10s").doc("How long it may take to answer."),
    status: c.integer().min(100).max(599).default("200").doc("The status that means it is up."),
    token: c.secret().optional().doc("Sent as `Authorization: Bearer …`."),
  },
});

const page = c.block({
  doc: "Where badges are served: `/uptime/<site>.svg`, and the same as data: `/uptime/<site>.json`.",
  attrs: {
    listen: c.string().default('"127.0.0.1:9100"').doc("The address, as `host:port`."),
    prefix: c.string().default('"/uptime"').doc("The path before the sites' names."),
  },
});

export const blocks = { site, page };
export type UptimeConfiguration = Configuration<typeof blocks>;
export type SiteBlock = UptimeConfiguration["blocks"]["site"][number];
