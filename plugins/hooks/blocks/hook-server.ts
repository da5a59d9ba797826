/** `hook_server "default" { … }`: an address where hooks are answered. */
import { c } from "reeve/plugin";
import { networks, proxies } from "./networks.js";

/** Where hooks are answered that name no server, if no server is configured at all. */
export const DEFAULT_SERVER = { listen: "127.0.0.1:9000", prefix: "/hooks" } as const;

export const hookServer = c.block({
  doc: "An address where hooks are answered.",
  label: c.name(),
  examples: ['hook_server "default" {\n  listen = "127.0.0.1:9000"\n  prefix = "hooks"\n}'],
  attrs: {
    listen: c
      .string()
      .min(1)
      .default(`"${DEFAULT_SERVER.listen}"`)
      .doc(
        "Where to listen: `127.0.0.1:9000`, `[::1]:9000`, `:9000` for every address, or `unix:/run/hooks.sock`.",
      )
      .example('"unix:/run/reeve/hooks.sock"'),
    prefix: c
      .string()
      .pattern(
        "^/?([A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*)?/?$",
        "a path made of letters, digits, `.`, `_`, `~` and `-`",
      )
      .default('"hooks"')
      .doc("The path in front of the hooks' names. Empty for none.")
      .example('"ci/hooks"'),
    body_limit: c
      .size()
      .min(0)
      .max(64 * 1024 * 1024)
      .default("1MiB")
      .doc("A longer body is answered with 413."),
    request_timeout: c
      .duration()
      .min(100)
      .max(10 * 60_000)
      .default("30s")
      .doc("How long a request may take to arrive completely."),
    allow_from: networks()
      .optional()
      .doc("Addresses and networks that requests may come from; others get 403 for every hook.")
      .example('["10.0.0.0/8"]'),
    trusted_proxies: proxies()
      .optional()
      .doc(
        "Proxies whose word counts about where a request comes from: addresses, networks, and `unix` for those on a unix socket.",
      )
      .example('["127.0.0.1", "10.1.0.0/16"]'),
    proxy_header: c
      .oneOf("X-Forwarded-For", "Forwarded", "X-Real-IP")
      .default('"X-Forwarded-For"')
      .doc("The header in which trusted proxies say it. Others' are ignored."),
  },
  exports: {
    listen: c.export(c.string(), "listen", "Where it listens."),
  },
});

/** `hooks`, `/hooks/` and `/hooks` are the same prefix; none is `/`. */
export function normalPrefix(written: string): string {
  return `/${written.replace(/^\/+|\/+$/g, "")}`;
}
