/** Hostile code inside: every attempt of `probes.ts`, as the caller and as an ordinary user. */

import { once } from "node:events";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import test from "ava";
import { makeWorld, type Started, type World } from "../testing/world.js";
import { addresses, alignment, names, otherTraffic, type Probe } from "./probes.js";
import { files, isolation } from "./probes-inside.js";

const groups = { addresses, names, alignment, "other traffic": otherTraffic, isolation, files };
const users = { "the caller": false, "an ordinary user": true };

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

/** A home with secrets, a workspace with a repository, services of the host that listen on UNIX sockets. */
async function furnish({ home, workspace, scratch, start }: World): Promise<Started> {
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
  const lines = createInterface({ input: service.child.stdout as NodeJS.ReadableStream });
  await once(lines, "line");
  return service;
}

const listener = `
import socket, sys, threading
def serve(path):
    s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
    while True:
        c, _ = s.accept(); c.sendall(b"host"); c.close()
for path in (sys.argv[1], "\\0awf-test-host"): threading.Thread(target=serve, args=(path,), daemon=True).start()
import time; time.sleep(0.2); print("up", flush=True); time.sleep(600)
`;

// Real sandboxes, many at once: a small machine may take its time.
test.beforeEach((t) => t.timeout(60_000));

for (const [user, ordinary] of Object.entries(users)) {
  for (const [group, probes] of Object.entries(groups)) {
    const results = attempt(probes, ordinary);
    for (const { name, gets } of probes) {
      test(`${group}: ${name} (as ${user})`, async (t) => {
        const got = (await results()).get(name) ?? "nothing at all";
        if (typeof gets === "string") t.is(got, gets);
        else t.regex(got, gets);
      });
    }
  }
}

/** All attempts of a group in one sandbox, once, when the first result is asked for. */
function attempt(
  probes: readonly Probe[],
  ordinary: boolean,
): () => Promise<ReadonlyMap<string, string>> {
  let results: Promise<ReadonlyMap<string, string>> | undefined;
  return () => {
    results ??= run(probes, ordinary);
    return results;
  };
}

const separator = "\u001e";

async function run(
  probes: readonly Probe[],
  ordinary: boolean,
): Promise<ReadonlyMap<string, string>> {
  await using world = await makeWorld(zone);
  const service = await furnish(world);
  const script = probes
    .map(({ line }) => `( ${line} ) 2>&1 </dev/null; printf '${separator}'`)
    .join("\n");
  const { stdout } = await world.awf(
    [
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
    { ordinary },
  );
  service.child.kill("SIGKILL");
  await service.result;
  const outputs = stdout.split(separator).map((text) => text.trim());
  return new Map(probes.map(({ name }, index) => [name, outputs[index] ?? ""]));
}
