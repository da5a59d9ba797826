/** Options of the existing tool that awf has in another form. Data only; `docs/awf.md` lists them. */

export interface ForeignOption {
  readonly flags: string;
  /** `ignored`: awf behaves so in any case, or there is nothing to set. */
  readonly effect: "ignored" | "refused";
  /** The end of a sentence. */
  readonly why: string;
}

const ignored = (flags: string, why: string): ForeignOption => ({ flags, effect: "ignored", why });
const refused = (flags: string, why: string): ForeignOption => ({ flags, effect: "refused", why });

const oneMode = "there is one mode: every run is isolated by namespaces";
const keys = "use --inject-credential NAME=host";

export const foreignOptions: readonly ForeignOption[] = [
  ignored("--network-isolation", oneMode),
  ignored("--no-network-isolation", oneMode),
  ignored("--security-mode <mode>", oneMode),
  ignored("--legacy-security", oneMode),
  ignored(
    "--diagnostic-logs",
    "--log-level debug prints the settings, --keep-containers keeps files",
  ),
  ignored("--no-rate-limit", "there are none without the option for them"),
  refused("--session-state-dir <path>", "mount a directory for the state with -v"),
  refused(
    "--audit-dir <path>",
    "use --proxy-logs-dir; `awf logs audit` shows the rule of each request",
  ),
  refused("--ruleset-file <path>", "list the domains in a file for --allow-domains-file"),
  refused(
    "--dns-over-https [url]",
    "choose servers with --dns-servers; names are resolved outside",
  ),
  refused("--enable-api-proxy", keys),
  refused("--enable-dind", "no engine is reachable inside"),
  refused("--container-runtime <name>", "choose with --engine native or docker"),
  refused("--topology-attach <name>", "no other container is reachable inside"),
  refused("--reflect", "--help, --explain and --log-level debug describe a run"),
];

/** The option without its value. */
export const nameOf = ({ flags }: ForeignOption): string => flags.split(" ")[0] ?? flags;
