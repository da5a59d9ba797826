/** The `updates` block: server, code host, registries, accounts and the built-in check. */
import { type Configuration, c, isTimeZone } from "reeve/plugin";
import { packageManagers } from "../managers/index.js";
import { badDestination } from "../registries/destination.js";
import { pattern } from "./pattern.js";

const time = () =>
  c.string().pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$", "a time of day such as `05:30`");

const host = c.block({
  label: c.oneOf("github", "gitea", "gitlab"),
  max: 1,
  doc: "A code host over its REST interface. Without this block the plugin hosts a folder of bare repositories itself.",
  attrs: {
    url: c
      .string()
      .pattern("^https?://[^/]+", "an address starting with `http://` or `https://`")
      .doc("The address of the REST interface, such as `https://api.github.com`."),
    token: c.secret().doc("The token for reads, pushes and pull requests."),
    webhook_secret: c
      .secret()
      .optional()
      .doc(
        "The secret that signs deliveries to `/host_events`. Without it, deliveries are refused.",
      ),
    poll: c
      .duration()
      .default("5m")
      .check((milliseconds) =>
        milliseconds === 0 || milliseconds >= 30_000
          ? undefined
          : "The shortest interval is 30s; `0s` disables polling",
      )
      .doc("How often to poll a repository without deliveries for a day. `0s`: never."),
  },
});

const registry = c.block({
  label: c.oneOf(...packageManagers),
  doc: "A registry that a package manager uses instead of the public one.",
  check: ({ values: { token, username, password } }, report) => {
    if (token !== undefined && (username !== undefined || password !== undefined))
      report(["token"], "a registry takes a token, or a user name and a password, not both");
    else if (username !== undefined && password === undefined)
      report(["username"], "`username` needs `password`");
    else if (password !== undefined && username === undefined)
      report(["password"], "`password` needs `username`");
  },
  attrs: {
    url: c
      .string()
      .pattern(
        "^https?://[^/]+|^file:///",
        "an address starting with `http://`, `https://` or `file:///`",
      )
      .doc("The registry's address, without a trailing slash."),
    scope: c
      .string()
      .optional()
      .doc("Limits the registry to names with this scope: `@acme`, a module prefix, a host."),
    token: c.secret().optional().doc("Sent as `Authorization: Bearer …` to this address only."),
    username: c
      .string()
      .pattern("^[^:]+$", "a name without a colon")
      .optional()
      .doc("Sent with `password` as `Authorization: Basic …`, instead of a token."),
    password: c.secret().optional().doc("The password of `username`."),
  },
});

const day = c.oneOf("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");

const account = c.block({
  label: c.name(),
  doc: "Settings for the repositories of one account.",
  attrs: {
    update_run_time: time().default('"05:00"').doc("When daily, weekly and monthly runs start."),
    weekly_update_run_day: day.default('"monday"').doc("The day of weekly runs."),
    time_zone: c
      .string()
      .default('"UTC"')
      .check((zone) => (isTimeZone(zone) ? undefined : `There is no time zone ${zone}`))
      .doc("The time zone of this account's times."),
    automatically_rebase_prs: c
      .boolean()
      .default("true")
      .doc("Rebase pull requests when their base branch moves."),
    create_merge_commits: c
      .boolean()
      .default("false")
      .doc("Create a merge commit instead of a fast-forward."),
    limit_open_pull_requests: c
      .boolean()
      .default("true")
      .doc("Keep at most `open_pull_requests_limit` pull requests of a config open."),
    open_pull_requests_limit: c.integer().min(1).max(1000).default("5"),
    limit_initial_update_runs: c
      .boolean()
      .default("true")
      .doc("Open at most 5 pull requests in a config's first run."),
    automerge_checks: c
      .oneOf("required", "all", "none-ok")
      .optional()
      .doc(
        "Which checks must have passed. Default: `required` on a code host, `none-ok` on the built-in host.",
      ),
    zero_versions: c
      .oneOf("caret", "literal", "strict")
      .default('"caret"')
      .doc(
        "How to classify changes below 1.0: like a caret range, by their numbers, or never as patch or minor.",
      ),
    cooldown: c
      .duration()
      .default("0s")
      .doc("Offer a version only when it is this old. Security fixes are offered at once."),
    working_hours: c
      .list(
        c
          .string()
          .pattern(
            "^[a-z]+ [0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]$",
            "a day and hours such as `monday 09:00-17:00`",
          ),
      )
      .default("[]")
      .doc("Merge automatically only in these hours. Empty: always."),
  },
});

const check = c.block({
  max: 1,
  doc: "A command that must succeed in a checkout of the update before it is merged.",
  attrs: {
    run: c.list(c.string(), { minItems: 1 }).doc("The command, in the config's directory."),
    timeout: c.duration().default("10m").doc("The check fails after this time."),
  },
});

const updates = c.block({
  label: c.name(),
  reload: "live",
  doc: "Keeps the dependencies of repositories up to date, and serves the API that configures the updates.",
  examples: ['updates "main" {\n  repositories = "./repositories"\n}\n'],
  exports: { url: c.export(c.string(), '"http://$' + '{listen}"', "The address of the API.") },
  attrs: {
    listen: c
      .string()
      .default('"127.0.0.1:9100"')
      .doc("The address of the API and the repositories."),
    base_path: c
      .string()
      .pattern("^/", "a path starting with `/`")
      .default('"/"')
      .doc("The path prefix of all addresses."),
    repositories: c
      .path()
      .optional()
      .doc(
        "The folder of bare repositories, `<account>/<name>.git`. Default: a folder in the daemon's state directory.",
      ),
    attribute_names: c
      .oneOf("host", "github", "both")
      .default('"host"')
      .doc(
        "The prefix of attributes about the code host: `host-id`, `github-id` for old clients, or both.",
      ),
    workers: c
      .integer()
      .min(1)
      .max(64)
      .default("4")
      .doc("The number of repositories updated at the same time."),
    advisories: c
      .path()
      .optional()
      .doc(
        "A folder of OSV records: `*.json`, `*.ndjson`, `*.zip`. Changes are read automatically.",
      ),
    unsafe_managers: c
      .list(c.oneOf(...packageManagers))
      .default("[]")
      .doc("Package managers whose tools may run code of the repository."),
    allow_registries: c
      .list(c.string())
      .default("[]")
      .check((list) => list.map(badDestination).find((complaint) => complaint !== undefined))
      .doc(
        "Hosts and networks with private addresses that files of repositories may name as registries, submodules or packages. Public addresses, the addresses of `registry` and `host`, and Reeve's own repositories are always allowed.",
      )
      .example('["npm.internal", "10.1.0.0/16"]'),
    tools_run_in: c
      .ref("sandbox")
      .optional()
      .doc("The sandbox for the package managers' own tools. Its policy must allow the registries.")
      .example("sandbox.tools"),
    committer: c
      .string()
      .pattern("^[^<>]+ <[^<>]+>$", "a name and an address: `Reeve <reeve@localhost>`")
      .default('"Reeve <reeve@localhost>"')
      .doc("The author of the commits."),
  },
  blocks: { host, registry, pattern, account, check },
});

export const blocks = { updates };
export type UpdatesConfiguration = Configuration<typeof blocks>;
export type UpdatesBlock = UpdatesConfiguration["blocks"]["updates"][number];
