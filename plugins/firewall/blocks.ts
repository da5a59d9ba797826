/** The `sandbox` block. */
import { type Configuration, c } from "reeve/plugin";

const MEBIBYTE = 1024 * 1024;
const DAY = 86_400_000;

const mount = c.block({
  doc: "Shows a file or directory of this machine at another place inside.",
  label: c
    .string()
    .pattern("^/.*[^/]", "an absolute path other than `/`")
    .doc("Where the command finds it."),
  attrs: {
    source: c.path().doc("What is shown. It has to exist.").example('"./checkouts"'),
    mode: c.oneOf("ro", "rw").default('"ro"').doc("`rw`: the command may change it."),
  },
});

const sandbox = c.block({
  doc: "A fence that commands run behind: they reach the listed domains and nothing else.",
  label: c.name().doc("The sandbox's name: `run_in = sandbox.NAME` in a hook."),
  reload: "live",
  examples: [
    'sandbox "build" {\n  allow = ["registry.npmjs.org", "*.example.org"]\n  block = ["telemetry.example.org"]\n  memory = 2GiB\n}',
    'sandbox "offline" {}',
  ],
  attrs: {
    allow: c
      .list(c.string(), { maxItems: 10_000 })
      .default("[]")
      .doc(
        "Domains that may be reached, with their subdomains: `github.com`, `*.example.org`, `https://one.example`, an address. None: no network. Running commands follow a change at once.",
      )
      .example('["registry.npmjs.org", "*.example.org"]'),
    block: c
      .list(c.string(), { maxItems: 10_000 })
      .default("[]")
      .doc("Domains that may not be reached, whatever `allow` says.")
      .example('["telemetry.example.org"]'),
    allow_urls: c
      .list(c.string(), { maxItems: 1000 })
      .default("[]")
      .doc(
        "URLs that may be reached; `*` stays within a path segment, `**` does not. HTTPS is intercepted for it.",
      )
      .example('["https://registry.example.org/@acme/*"]'),
    ssl_bump: c
      .boolean()
      .default("false")
      .doc("Whether HTTPS is intercepted, so that logs have whole URLs."),
    host_access: c
      .union(c.boolean(), c.list(c.union(c.integer(), c.string())))
      .default("false")
      .doc(
        "Ports of this machine that can be reached as `host.docker.internal`: a list of ports and ranges; `true`: 80 and 443.",
      )
      .example('[8080, "9000-9010"]'),
    dns: c
      .list(c.string(), { minItems: 1, unique: true })
      .optional()
      .doc(
        "Addresses of the name servers that are asked. Left out: public ones, then this machine's.",
      )
      .example('["192.0.2.53"]'),
    cwd: c
      .path()
      .optional()
      .doc(
        "The directory commands start in, and may change, unless whoever runs one says otherwise. Left out: the configuration's, which they may not change.",
      )
      .example('"./checkout"'),
    allow_write: c
      .list(c.path())
      .default("[]")
      .doc("More places that commands may change. Everything else is read-only.")
      .example('["./cache"]'),
    env: c
      .map(c.union(c.string(), c.secret()))
      .default("{}")
      .doc("Environment variables of every command; whoever runs one may add to them.")
      .example('{ CI = "true", TOKEN = secret("env:REGISTRY_TOKEN") }'),
    user: c
      .string()
      .min(1)
      .optional()
      .doc(
        "The user that commands become; only where the daemon is root. Left out: the daemon's own.",
      )
      .example('"nobody"'),
    timeout: c
      .duration()
      .min(1)
      .max(7 * DAY)
      .optional()
      .doc("How long a command may run at most."),
    memory: c.size().min(MEBIBYTE).optional().doc("How much memory a command may use."),
    pids: c
      .integer()
      .min(1)
      .max(4_194_304)
      .optional()
      .doc("How many processes a command may have at the same time."),
    upstream_proxy: c
      .union(c.string(), c.secret())
      .optional()
      .doc("The HTTP proxy through which the network is reached: `http://host:port`.")
      .example('"http://proxy.example.org:3128"'),
    learn: c
      .boolean()
      .default("false")
      .doc("Lets every public domain through that is not blocked, to find out what is needed."),
  },
  blocks: { mount },
  check: async (block, report) => {
    // Loaded on demand: the public suffix list is large, and most configurations have no sandbox.
    const { checkSandbox } = await import("./daemon/check.js");
    checkSandbox(block.values, report);
  },
});

export const blocks = { sandbox };

export type FirewallConfiguration = Configuration<typeof blocks>;
export type SandboxBlock = FirewallConfiguration["blocks"]["sandbox"][number];
export type SandboxValues = SandboxBlock["values"];
