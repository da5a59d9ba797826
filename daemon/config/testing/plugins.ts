/** The plugins that the tests of this room use: shaped like the real ones, with every feature of a description. */

import type { BlockSchema, FunctionSchema } from "../../plugin-api/block.js";
import { c, describeBlock, describeFunction } from "../../plugin-api/block.js";
import type { PluginDescription } from "../../plugin-api/descriptor.js";

const request = c.scope("request", {
  payload: c.any().doc("The decoded body."),
  header: { type: c.map(c.string()), caseInsensitive: true, doc: "By lower-case name." },
  query: c.map(c.string()),
  method: c.string().doc("Upper case."),
  remote_ip: c.string(),
  elapsed: c.duration(),
});

const verify = c.block({
  doc: "Proof of where a request comes from.",
  label: c.oneOf("hmac", "bearer"),
  max: 4,
  attrs: {
    algorithm: c.oneOf("sha1", "sha256").default('"sha256"'),
    header: c.string(),
    secret: c.secret(),
  },
});

const text = c.expr({ scope: request, returns: c.union(c.string(), c.number(), c.boolean()) });

export const hook = c.block({
  doc: "Runs a command when a request comes in.",
  label: c.name(),
  reload: "live",
  attrs: {
    methods: c.list(c.oneOf("GET", "POST", "PUT")).default('["POST"]'),
    timeout: c.duration().min(1).max(86_400_000).default("1m").doc("How long the command may run."),
    concurrency: c.integer().min(1).max(100).optional(),
    when: c.expr({ scope: request, returns: c.boolean() }).optional(),
    run: c.list(text, { minItems: 1, maxItems: 20 }).reload("restart"),
    stdin: c
      .expr({ scope: request, returns: c.union(c.string(), c.secret()) })
      .optional()
      .doc("What the command reads."),
    env: c.map(c.union(c.string(), c.secret())).default("{}"),
    run_in: c.ref("sandbox").optional(),
    path: c.string().pattern("^/", "a path starting with `/`").optional(),
    match: c.regex().optional(),
  },
  blocks: {
    verify,
    response: c.block({
      max: 1,
      attrs: { status: c.integer().min(100).max(599).default("200"), body: c.string().optional() },
    }),
    reply: c.block({ deprecated: { since: "0.9", use: "response" }, attrs: {} }),
  },
});

const sandbox = c.block({
  label: c.name(),
  attrs: {
    allow: c.list(c.hostPattern(), { unique: true }).default("[]").reload("live"),
    block: c.list(c.hostPattern()).default("[]").reload("live"),
    allow_urls: c.list(c.string()).default("[]").reload("live"),
    memory: c.size().min(1024).optional(),
    share: c.percent().max(1).optional().reload("live"),
    engine: c.oneOf("namespaces", "docker").default('"namespaces"').reload("daemon"),
    env: c.map(c.union(c.string(), c.secret())).default("{}"),
    limits: c
      .object({ processes: c.integer().default("64"), files: c.integer().optional() })
      .optional(),
  },
  blocks: {
    mount: c.block({
      label: c.string(),
      attrs: { source: c.path(), mode: c.oneOf("ro", "rw").default('"ro"') },
    }),
  },
});

const updates = c.block({
  label: c.name(),
  exports: {
    url: c.export(c.string(), '"http://${listen}/${label}"', "Where it answers."),
    feed: c.export(c.string(), 'security_feed ?? "none"'),
  },
  attrs: { listen: c.string().min(1), security_feed: c.path().optional() },
  blocks: {
    host: c.block({ label: c.name(), attrs: { repos: c.string() } }),
    ecosystem: c.block({ label: c.name(), attrs: { registry: c.string() } }),
  },
});

const settings = c.block({
  label: c.name(),
  attrs: {
    schema: c.string(),
    watch: c.list(c.string()),
    debounce: c.duration().default("100ms"),
    delay: c.duration().optional().deprecated({ since: "0.8", use: "debounce" }),
    path: c.path().removed({ since: "0.7", use: "watch", note: "`watch` takes a list" }),
    values: c.any().optional(),
  },
});

const chat = c.block({
  label: c.name(),
  attrs: { room: c.string().check(() => undefined), via: c.ref("chat").optional() },
});

const functions = {
  initials: c.function({
    parameters: { name: c.string() },
    returns: c.string(),
    doc: "The first letters of the words.",
    run: (name: string) => name,
  }),
  pause: c.function({ parameters: { seconds: c.number() }, returns: c.duration(), run: () => 0 }),
};

const allowed = c.function({
  parameters: { sandbox: c.ref("sandbox"), host: c.string() },
  returns: c.boolean(),
  doc: "Whether a sandbox may reach a host.",
  run: () => false,
});

export function describe(
  id: string,
  blocks: Readonly<Record<string, BlockSchema>>,
  added: Readonly<Record<string, FunctionSchema>> = {},
): PluginDescription {
  const mapped = <In, Out>(record: Readonly<Record<string, In>>, change: (value: In) => Out) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
  return {
    id,
    title: id,
    api: 1,
    blocks: mapped(blocks, describeBlock),
    functions: mapped(added, describeFunction),
    permissions: {},
    isolation: { default: "inline", supports: ["inline", "worker", "process"] },
  };
}

export const builtIn: readonly PluginDescription[] = [
  describe("hooks", {
    hook_server: c.block({
      label: c.name(),
      attrs: { listen: c.string().min(1), prefix: c.string().optional() },
    }),
    hooks_file: c.block({ label: c.name(), attrs: { path: c.path() } }),
    hook,
  }),
  describe("firewall", { sandbox }, { allowed }),
  describe("updates", { updates }),
  describe("settings", { settings }),
];

export const acme = describe("acme-chat", { chat }, functions);

export const faulty = describe("faulty", {
  thing: c.block({ attrs: { timeout: c.duration().default('"soon"') } }),
});
