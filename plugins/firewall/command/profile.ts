/** `awf profile list` and `awf profile show NAME`. */
import { FirewallError } from "../errors.js";
import { findProfile, type Profile, profiles } from "../policy/profiles.js";
import { Messages } from "./messages.js";

const usage = `Usage: awf profile list [--json]
       awf profile show <name> [--json]

Shows the domains and paths that --profile <name> adds to a run.
`;

/** Runs `awf profile …` with the arguments after `profile`. Returns the exit code. */
export function profileCommand(argv: readonly string[]): number {
  const json = argv.includes("--json");
  const words = argv.filter((word) => word !== "--json");
  const [view, name] = words;
  if (view === "--help" || view === "-h") {
    process.stdout.write(usage);
    return 0;
  }
  const count = view === "list" ? 1 : 2;
  if ((view !== "list" && view !== "show") || words.length !== count) {
    process.stderr.write(usage);
    return 1;
  }
  try {
    const shown = view === "list" ? profiles : findProfile(name ?? "");
    const text = view === "list" ? profiles.map(line).join("") : details(findProfile(name ?? ""));
    process.stdout.write(json ? `${JSON.stringify(shown, undefined, 2)}\n` : text);
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    new Messages("error", { json }).error(thrown.message);
    return 1;
  }
}

const line = ({ name, summary }: Profile): string => `${name.padEnd(8)}${summary}\n`;

function details({ name, summary, domains, paths }: Profile): string {
  const lines = [
    `${name}: ${summary}`,
    "",
    "Domains",
    ...domains.map((domain) => `  ${domain}`),
    ...(paths.length > 0
      ? ["", "Writable paths, where a list of writable paths excludes them"]
      : []),
    ...paths.map((path) => `  ~/${path}`),
  ];
  return lines.map((text) => `${text}\n`).join("");
}
