/** `reeve doctor`: checks the requirements of this host, and says what to do. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { connect } from "../control/client.js";
import { controlOptions } from "../control/option.js";
import { type Call, defineCommand, text } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import type { Channel } from "../plugin-api/output.js";
import { stateStyle } from "../print/layout.js";
import { oneLine } from "../print/text.js";
import { countText } from "../print/units.js";
import { fileArgument, rootFile } from "../project/load.js";
import { configuration } from "./doctor/configuration.js";
import { checkDaemon } from "./doctor/daemon.js";
import { stateDirectory, writable } from "./doctor/directory.js";
import type { HostFinding } from "./doctor/finding.js";
import { inotify, openFiles } from "./doctor/limits.js";
import { git, namespaces, SYSTEM_PATH, sandboxPrograms } from "./doctor/sandbox.js";
import { node, systemd } from "./doctor/system.js";

const options = {
  state: text("DIR", "the state directory of the daemon"),
  ...controlOptions,
};

export const command = defineCommand({
  description:
    "Changes nothing. A `warn` works in part or may fail soon; a `fail` does not work. " +
    'With --json: `{ "findings": [{ "id", "state", "says", "todo" }] }`, where `state` is `ok`, `warn` or `fail`.',
  arguments: [fileArgument],
  options,
  examples: [
    { command: "reeve doctor", does: "checks this host and its daemon" },
    {
      command: "sudo -u reeve reeve doctor /etc/reeve",
      does: "checks with the permissions of the daemon",
    },
  ],
  exits: { [Exit.findings]: "a check failed" },
  async run(call) {
    const findings = await examine(call);
    const { options, output } = call;
    if (options.json) output.json({ findings });
    else show(output.out, findings);
    return findings.some(({ state }) => state === "fail") ? Exit.findings : Exit.ok;
  },
});

type DoctorCall = Call<typeof options>;

async function examine({
  arguments: [file],
  options,
}: DoctorCall): Promise<readonly HostFinding[]> {
  const { PATH } = process.env;
  const { status, findings } = await checkDaemon(connect(options));
  const root = file === undefined ? (status?.root ?? resolve("main.reeve")) : meant(file);
  const isOfDaemon = status?.root === root && options.state === undefined;
  const state = isOfDaemon ? status.stateDirectory : stateDirectory(root, options.state);
  const found: ReadonlyArray<HostFinding | undefined> = [
    node(process.versions.node),
    ...findings,
    await configuration(root, file !== undefined),
    writable(state),
    openFiles(contentOf("/proc/self/limits")),
    inotify({
      instances: inotifyLimit("max_user_instances"),
      watches: inotifyLimit("max_user_watches"),
    }),
    systemd(),
    git(PATH),
    sandboxPrograms(SYSTEM_PATH),
    await namespaces(SYSTEM_PATH),
  ];
  return found.filter((finding) => finding !== undefined);
}

/** A file that does not exist is a finding, not an error. */
const meant = (file: string): string => (existsSync(file) ? rootFile(file) : resolve(file));

const inotifyLimit = (name: string) => contentOf(join("/proc/sys/fs/inotify", name))?.trim();

/** Nothing where the system has no such file. */
function contentOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function show(out: Channel, findings: readonly HostFinding[]): void {
  for (const { state, says, todo } of findings) {
    out.line(`${out.paint(stateStyle(state), state.padEnd(4))}  ${oneLine(says)}`);
    if (todo !== undefined) out.line(`      ${oneLine(todo)}`);
  }
  const number = (wanted: HostFinding["state"]) =>
    findings.filter(({ state }) => state === wanted).length;
  out.line();
  out.line(`${countText(number("fail"), "failure")}, ${countText(number("warn"), "warning")}.`);
}
