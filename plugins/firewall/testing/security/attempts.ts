/** Makes the attempts of `probes.ts` in a sandbox and collects their results. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { AWF } from "../../../../tests/support/commands.js";
import { eventually } from "../../../../tests/support/eventually.js";
import {
  createTestInternet,
  type StartedProgram,
  type StartOptions,
  type TestInternet,
} from "../test-internet.js";
import { addresses, alignment, names, otherTraffic, type Probe } from "./probes.js";
import { files, isolation } from "./probes-inside.js";

export const groups = {
  addresses,
  names,
  alignment,
  "other traffic": otherTraffic,
  isolation,
  files,
};

/** Groups that share a run: those about the network, those about names, those about the machine. */
const batches = [
  ["addresses", "alignment"],
  ["names", "other traffic"],
  ["isolation", "files"],
] as const;

const zone = {
  "allowed.test": ["93.184.216.34"],
  "evil.test": ["93.184.216.66"],
  "notallowed.test": ["93.184.216.66"],
  "private.allowed.test": ["10.0.0.5"],
  "loopback.allowed.test": ["127.0.0.1"],
  "six.allowed.test": ["::1"],
  "metadata.allowed.test": ["169.254.169.254"],
  "rebinding.allowed.test": [["93.184.216.34"], ["127.0.0.1"]],
};

/** A home with secrets, a workspace with a repository, and services of the host on UNIX sockets. */
async function furnish({ home, workspace, scratch, start }: TestInternet): Promise<StartedProgram> {
  for (const directory of [scratch, home, workspace, join(scratch, "tmp")])
    chmodSync(directory, 0o755);
  mkdirSync(join(home, ".ssh"));
  mkdirSync(join(home, "kept"));
  mkdirSync(join(workspace, ".git", "hooks"), { recursive: true });
  for (const name of [".ssh/id_rsa", ".npmrc", "kept/netrc"])
    writeFileSync(join(home, name), "SECRET\n");
  symlinkSync(join(home, "kept", "netrc"), join(home, ".netrc"));
  writeFileSync(join(home, ".bashrc"), "# mine\n");
  const service = start("/usr/bin/python3", ["-c", listener, join(home, "agent.sock")]);
  await service.program.says(/\n/);
  return service;
}

const listener = `
import socket, sys, threading
def serve(s):
    while True:
        c, _ = s.accept(); c.sendall(b"host"); c.close()
for path in (sys.argv[1], "\\0awf-test-host"):
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
    threading.Thread(target=serve, args=(s,), daemon=True).start()
import time; print("up", flush=True); time.sleep(600)
`;

export interface EscapeOptions extends StartOptions {
  /** Further options of awf. */
  readonly args?: readonly string[];
}

/** Makes all attempts of a batch in one sandbox, once, for the first result that a test needs; by group and probe. */
export function attempts(
  options: () => EscapeOptions,
): (group: string, probe: string) => Promise<string | undefined> {
  const results = new Map<readonly string[], Promise<ReadonlyMap<string, string>>>();
  return async (group, probe) => {
    const batch = batches.find((names) => (names as readonly string[]).includes(group)) ?? [];
    const result = results.get(batch) ?? run(batch, options());
    results.set(batch, result);
    return (await result).get(`${group}: ${probe}`);
  };
}

const separator = "\u001e";

async function run(
  batch: ReadonlyArray<keyof typeof groups>,
  { args = [], ...start }: EscapeOptions,
): Promise<ReadonlyMap<string, string>> {
  await using world = await createTestInternet(zone);
  const service = await furnish(world);
  const probes = batch.flatMap((group) =>
    groups[group].map(({ name, line }: Probe) => ({ name: `${group}: ${name}`, line })),
  );
  const script = probes
    .map(({ line }) => `( ${line} ) 2>&1 </dev/null; printf '${separator}'`)
    .join("\n");
  const { stdout, stderr } = await world.awf(
    [
      ...args,
      "--dns-servers",
      "8.8.8.8",
      "--allow-domains",
      "allowed.test",
      "--log-level",
      "error",
      "--container-workdir",
      world.workspace,
      "--",
      script,
    ],
    start,
  );
  service.child.kill("SIGKILL");
  await service.result;
  const outputs = stdout.split(separator).map((text) => text.trim());
  return new Map(probes.map(({ name }, index) => [name, outputs[index] ?? stderr]));
}

/** What a program beside a run gets from the run's proxy; `options` are awf's. */
export async function fromOutside({ args = [], ...start }: EscapeOptions): Promise<string> {
  await using world = await createTestInternet(zone);
  const run = world.start(
    process.execPath,
    [awf, ...args, "--log-level", "error", "--", "echo up; sleep 600"],
    start,
  );
  await outputOf(run, "up");
  const connect =
    "import socket as s\nfor a in ((2,'127.0.0.1'),(2,'10.0.0.1'),(10,'::1')):\n  c=s.socket(a[0]); print(c.connect_ex((a[1],3128)))";
  const { stdout } = await world.start("/usr/bin/python3", ["-c", connect]).result;
  run.child.kill("SIGKILL");
  await run.result;
  return stdout;
}

export const awf = AWF;

/** A word that only this run's processes have on their command line. */
let last = 0;
export function uniqueWord(): string {
  last += 1;
  return `awf-ending-${process.pid}-${last}`;
}

/** Processes with the word on their command line. */
function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
      } catch {
        return false;
      }
    });
}

/** Resolves when no process of the run is left. */
export async function nothingLeft(word: string): Promise<void> {
  await eventually("the run's processes to end", () => processesWith(word).length === 0, {
    every: 20,
  });
}

/** Resolves when the command has written the text. */
export async function outputOf({ program }: StartedProgram, text: string): Promise<void> {
  await program.says(new RegExp(RegExp.escape(text)));
}
