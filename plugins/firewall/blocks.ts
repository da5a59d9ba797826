/** The `sandbox` block. */
import { type Configuration, c } from "reeve/plugin";
import { credential, limit } from "./network-blocks.js";

const MEBIBYTE = 1024 * 1024;
const DAY = 86_400_000;

const mount = c.block({
  doc: "Mounts a file or directory of this machine into the sandbox.",
  label: c
    .string()
    .pattern("^/.*[^/]", "an absolute path other than `/`")
    .doc("The path inside the sandbox."),
  attrs: {
    source: c.path().doc("The file or directory to mount. It must exist.").example('"./checkouts"'),
    mode: c.oneOf("ro", "rw").default('"ro"').doc("`rw`: the command may change it."),
  },
});

const sandbox = c.block({
  doc: "Isolates commands: they reach the listed domains and nothing else.",
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
        "Allowed domains, with their subdomains: `github.com`, `*.example.org`, `https://one.example`, an address; with a port for any protocol: `db.example.org:5432`. An empty list means no network. Changes apply to running commands at once.",
      )
      .example('["registry.npmjs.org", "*.example.org"]'),
    profiles: c
      .list(c.string(), { maxItems: 100, unique: true })
      .default("[]")
      .doc(
        "Names of profiles, which add the domains and directories of a tool: `npm`, `pip`, `cargo`, `go`, `git`, `claude`, `codex`.",
      )
      .example('["npm", "git"]'),
    block: c
      .list(c.string(), { maxItems: 10_000 })
      .default("[]")
      .doc("Blocked domains. They win over `allow`.")
      .example('["telemetry.example.org"]'),
    allow_urls: c
      .list(c.string(), { maxItems: 1000 })
      .default("[]")
      .doc(
        "Allowed URLs, with methods if some only: `GET|HEAD https://a.example/x/*`. `*` matches within a path segment, `**` across segments. Decrypts HTTPS.",
      )
      .example('["https://registry.example.org/@acme/*"]'),
    ssl_bump: c
      .boolean()
      .default("false")
      .doc("Whether to decrypt HTTPS, so that logs contain whole URLs."),
    deny_secrets: c
      .boolean()
      .default("false")
      .doc(
        "Whether to refuse requests that contain a secret: a value of `env` or of a `credential`, or a token of a well-known service. It searches URLs and headers, and bodies where they can be read.",
      ),
    no_bump: c
      .list(c.string(), { maxItems: 1000 })
      .default("[]")
      .doc(
        "Domains whose HTTPS is not decrypted: programs for them may trust other authorities only.",
      )
      .example('["pinned.example.org"]'),
    host_access: c
      .union(c.boolean(), c.list(c.union(c.integer(), c.string())))
      .default("false")
      .doc(
        "Ports of this machine that commands reach as `host.docker.internal`: a list of ports and ranges, or `true` for 80 and 443.",
      )
      .example('[8080, "9000-9010"]'),
    dns: c
      .list(c.string(), { minItems: 1, unique: true })
      .optional()
      .doc("Addresses of DNS servers. By default public ones, then this machine's.")
      .example('["192.0.2.53"]'),
    cwd: c
      .path()
      .optional()
      .doc(
        "The directory that commands start in and may change, unless a caller chooses another. By default the configuration's, which they cannot change.",
      )
      .example('"./checkout"'),
    allow_write: c
      .list(c.path())
      .default("[]")
      .doc("More paths that commands may change. Everything else is read-only.")
      .example('["./cache"]'),
    deny_read: c
      .list(c.path())
      .default("[]")
      .doc(
        "Files and directories that commands see empty, also if they appear later. A path of `allow_write` or a `mount` below one is visible.",
      )
      .example('["./secrets"]'),
    deny_write: c
      .list(c.path())
      .default("[]")
      .doc("Paths that commands may not change, whatever else is writable.")
      .example('["./package.json"]'),
    allow_socket: c
      .list(c.path())
      .default("[]")
      .doc("UNIX sockets and pipes of this machine that commands may use. Others are hidden.")
      .example('["/run/postgresql/.s.PGSQL.5432"]'),
    env: c
      .map(c.union(c.string(), c.secret()))
      .default("{}")
      .doc("Environment variables of every command; callers may add more.")
      .example('{ CI = "true", TOKEN = secret("env:REGISTRY_TOKEN") }'),
    user: c
      .string()
      .min(1)
      .optional()
      .doc("The user that commands run as, if the daemon is root. By default the daemon's own.")
      .example('"nobody"'),
    timeout: c
      .duration()
      .min(1)
      .max(7 * DAY)
      .optional()
      .doc("The time limit of a command."),
    memory: c.size().min(MEBIBYTE).optional().doc("The memory limit of a command."),
    pids: c
      .integer()
      .min(1)
      .max(4_194_304)
      .optional()
      .doc("The limit of processes of a command at a time."),
    upstream_proxy: c
      .union(c.string(), c.secret())
      .optional()
      .doc("The HTTP proxy for all connections to the network: `http://host:port`.")
      .example('"http://proxy.example.org:3128"'),
    ask: c
      .boolean()
      .default("false")
      .doc(
        "Whether a connection to a domain that no list has waits 30 seconds for an answer by `reeve sandbox ask` or the dashboard. Without one it is denied.",
      ),
    learn: c
      .boolean()
      .default("false")
      .doc(
        "Allows every public domain that is not blocked, to find out which ones a command needs.",
      ),
  },
  blocks: { mount, credential, limit },
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
