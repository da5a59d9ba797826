/** `hook_server "default" { … }`: an address that serves hooks. */
import { c } from "reeve/plugin";
import { isFixedCipher, isKnownCipher, opensslName } from "../compat/ciphers.js";
import { networks, proxies } from "./networks.js";

/** The server of hooks without any `hook_server` block. */
export const DEFAULT_SERVER = { listen: "127.0.0.1:9000", prefix: "/hooks" } as const;

const tls = c.block({
  doc: "HTTPS. The files are PEM and are read again when they change.",
  max: 1,
  examples: ['tls {\n  cert = "/etc/reeve/cert.pem"\n  key = "/etc/reeve/key.pem"\n}'],
  attrs: {
    cert: c
      .path()
      .doc("The certificate, with those between it and the root behind it.")
      .example('"/etc/reeve/cert.pem"'),
    key: c.path().doc("Its key, without a passphrase.").example('"/etc/reeve/key.pem"'),
    min_version: c.oneOf("1.2", "1.3").default('"1.2"').doc("The oldest version of TLS to accept."),
    ciphers: c
      .list(c.string(), { minItems: 1 })
      .optional()
      .doc(
        "The cipher suites of TLS 1.2, best first, by their OpenSSL or IANA names. If absent, those with ECDHE and AES-GCM or ChaCha20-Poly1305. The suites of TLS 1.3 are fixed.",
      )
      .example('["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"]'),
    client_ca: c
      .path()
      .optional()
      .doc("The authority of client certificates. If absent, clients need none.")
      .example('"/etc/reeve/clients.pem"'),
    client_cert: c
      .oneOf("required", "optional")
      .default('"required"')
      .doc("Whether a client without such a certificate is rejected."),
    http2: c.boolean().default("true").doc("Whether clients may choose HTTP/2."),
  },
  check: ({ values }, report) => {
    if (values.client_cert === "optional" && values.client_ca === undefined) {
      report(["client_cert"], "this needs `client_ca`");
    }
    checkCiphers(values, report);
  },
});

function checkCiphers(
  { ciphers, min_version }: { readonly ciphers?: readonly string[]; readonly min_version: string },
  report: (path: readonly string[], message: string) => void,
): void {
  if (!ciphers) return;
  if (min_version === "1.3") report(["ciphers"], "TLS 1.3 has its own suites, which are fixed");
  for (const [index, name] of ciphers.entries()) {
    const path = ["ciphers", String(index)];
    if (isFixedCipher(opensslName(name))) {
      report(path, `\`${name}\` is a suite of TLS 1.3, which is always enabled`);
    } else if (!isKnownCipher(opensslName(name))) {
      report(path, `there is no cipher suite \`${name}\`; \`openssl ciphers\` lists them`);
    }
  }
}

export const hookServer = c.block({
  doc: "An address that serves hooks.",
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
      .doc("Longer bodies get 413."),
    request_timeout: c
      .duration()
      .min(100)
      .max(10 * 60_000)
      .default("30s")
      .doc("The longest time for a request to arrive."),
    header_limit: c
      .size()
      .min(1024)
      .max(1024 * 1024)
      .default("16KiB")
      .doc("The limit of all headers of a request together; more get 431."),
    connections_per_address: c
      .integer()
      .min(1)
      .max(10_000)
      .default("1000")
      .doc(
        "How many connections one client address may have open; more are closed. A /64 of IPv6 counts as one address. Trusted proxies are not limited.",
      ),
    requests_per_address: c
      .integer()
      .min(1)
      .max(10_000)
      .default("1000")
      .doc("How many requests of one client address may be in progress; more get 429."),
    allow_from: networks()
      .optional()
      .doc("Addresses and networks that requests may come from; others get 403 for every hook.")
      .example('["10.0.0.0/8"]'),
    trusted_proxies: proxies()
      .optional()
      .doc("Trusted proxies: addresses, networks, and `unix` for proxies on a unix socket.")
      .example('["127.0.0.1", "10.1.0.0/16"]'),
    proxy_header: c
      .oneOf("X-Forwarded-For", "Forwarded", "X-Real-IP")
      .default('"X-Forwarded-For"')
      .doc("The header with the client's address. Headers of other senders are ignored."),
  },
  blocks: { tls },
  exports: {
    listen: c.export(c.string(), "listen", "Where it listens."),
  },
});

/** As OpenSSL takes them. */
export const opensslNames = (ciphers: readonly string[]): readonly string[] =>
  ciphers.map((name) => opensslName(name).toUpperCase());

/** `hooks`, `/hooks/` and `/hooks` are the same prefix; none is `/`. */
export function normalPrefix(written: string): string {
  return `/${written.replace(/^\/+|\/+$/g, "")}`;
}
