/** The block `updates`: the service, its code host, registries, accounts and the built-in check. */
import { type Configuration, c } from "reeve/plugin";
import { packageManagers } from "../managers/index.js";
import { isTimeZone } from "../timetable/zone.js";

const time = () =>
  c.string().pattern("^([01][0-9]|2[0-3]):[0-5][0-9]$", "a time of day such as `05:30`");

const host = c.block({
  label: c.oneOf("github", "gitea", "gitlab"),
  max: 1,
  doc: "A code host over its REST interface. Without this block the service is the host itself: a folder of bare repositories.",
  attrs: {
    url: c
      .string()
      .pattern("^https?://[^/]+", "an address starting with `http://` or `https://`")
      .doc("The address of the REST interface, such as `https://api.github.com`."),
    token: c.secret().doc("What runs, pushes and pull requests are made with."),
    webhook_secret: c
      .secret()
      .optional()
      .doc("What deliveries to `/host_events` are signed with. Without it none is taken in."),
    poll: c
      .duration()
      .default("5m")
      .check((milliseconds) =>
        milliseconds === 0 || milliseconds >= 30_000
          ? undefined
          : "Ask a code host every 30s at most, or never: `0s`",
      )
      .doc(
        "How often the host is asked about a repository that it has told nothing of for a day. `0s`: never.",
      ),
  },
});

const registry = c.block({
  label: c.oneOf(...packageManagers),
  doc: "Where a package manager asks instead of its public registry.",
  check: ({ values: { token, username, password } }, report) => {
    if (token !== undefined && (username !== undefined || password !== undefined))
      report(["token"], "a registry has a token, or a user name and a password, not both");
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
      .doc("The registry's address, without a slash at its end."),
    scope: c
      .string()
      .optional()
      .doc("Only for names below this: `@acme`, a module prefix, a host."),
    token: c.secret().optional().doc("Sent as `Authorization: Bearer …` to this address alone."),
    username: c
      .string()
      .pattern("^[^:]+$", "a name without a colon")
      .optional()
      .doc("Sent with `password` as `Authorization: Basic …`, instead of a token."),
    password: c.secret().optional().doc("What goes with `username`."),
  },
});

const day = c.oneOf("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");

const account = c.block({
  label: c.name(),
  doc: "How the repositories of one account are treated.",
  attrs: {
    update_run_time: time().default('"05:00"').doc("When daily, weekly and monthly runs start."),
    weekly_update_run_day: day.default('"monday"').doc("The day of weekly runs."),
    time_zone: c
      .string()
      .default('"UTC"')
      .check((zone) => (isTimeZone(zone) ? undefined : `There is no time zone ${zone}`))
      .doc("The zone of all times here."),
    automatically_rebase_prs: c
      .boolean()
      .default("true")
      .doc("Make updates again when their base has moved."),
    create_merge_commits: c
      .boolean()
      .default("false")
      .doc("Merge with a commit of two parents instead of moving forward."),
    limit_open_pull_requests: c
      .boolean()
      .default("true")
      .doc("Leave at most `open_pull_requests_limit` open, a config."),
    open_pull_requests_limit: c.integer().min(1).max(1000).default("5"),
    limit_initial_update_runs: c
      .boolean()
      .default("true")
      .doc("Open at most 5 in the first run of a config."),
    automerge_checks: c
      .oneOf("required", "all", "none-ok")
      .optional()
      .doc(
        "Which checks must have passed. Default: `required` on a code host, `none-ok` where there is nobody to check.",
      ),
    zero_versions: c
      .oneOf("caret", "literal", "strict")
      .default('"caret"')
      .doc(
        "How versions below 1.0 count: as a caret reads them, by their numbers, or never as patch or minor.",
      ),
    cooldown: c
      .duration()
      .default("0s")
      .doc("Wait until a version is this old. Fixes of known holes do not wait."),
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
      .doc("Merge by itself only then. Empty: always."),
  },
});

const check = c.block({
  max: 1,
  doc: "A command that has to succeed in a checkout of every update before it is merged.",
  attrs: {
    run: c.list(c.string(), { minItems: 1 }).doc("The command, in the config's directory."),
    timeout: c.duration().default("10m").doc("After this the check has failed."),
  },
});

const updates = c.block({
  label: c.name(),
  reload: "live",
  doc: "Keeps the dependencies of repositories up to date, and answers the API that configures it.",
  examples: ['updates "main" {\n  repositories = "./repositories"\n}\n'],
  exports: { url: c.export(c.string(), '"http://$' + '{listen}"', "Where the API is.") },
  attrs: {
    listen: c
      .string()
      .default('"127.0.0.1:9100"')
      .doc("Where the API and the repositories are served."),
    base_path: c
      .string()
      .pattern("^/", "a path starting with `/`")
      .default('"/"')
      .doc("The path all addresses start with."),
    repositories: c
      .path()
      .optional()
      .doc(
        "The folder of bare repositories, `<account>/<name>.git`. Default: one in the daemon's state.",
      ),
    attribute_names: c
      .oneOf("host", "github", "both")
      .default('"host"')
      .doc(
        "How attributes about the code host are spelled: `host-id`, `github-id` as old clients know it, or both.",
      ),
    workers: c
      .integer()
      .min(1)
      .max(64)
      .default("4")
      .doc("Repositories that are worked on at the same time."),
    advisories: c
      .path()
      .optional()
      .doc("A folder of OSV records: `*.json`, `*.ndjson`, `*.zip`. Read again when it changes."),
    unsafe_managers: c
      .list(c.oneOf(...packageManagers))
      .default("[]")
      .doc("Package managers whose tools may run code of the repository."),
    tools_run_in: c
      .ref("sandbox")
      .optional()
      .doc(
        "The sandbox that package managers' own tools run in. It has to let them reach the registries.",
      )
      .example("sandbox.tools"),
    committer: c
      .string()
      .pattern("^[^<>]+ <[^<>]+>$", "a name and an address: `Reeve <reeve@localhost>`")
      .default('"Reeve <reeve@localhost>"')
      .doc("Who makes the commits."),
  },
  blocks: { host, registry, account, check },
});

export const blocks = { updates };
export type UpdatesConfiguration = Configuration<typeof blocks>;
export type UpdatesBlock = UpdatesConfiguration["blocks"]["updates"][number];
