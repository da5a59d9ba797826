import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import test from "ava";
import { child } from "../../tests/support/child.js";
import { ask } from "../http/testing/client.js";
import { site } from "./testing/daemon.js";

/**
 * Holds a listening socket as systemd does: Node would accept connections on what it holds. Prints the port, then runs each
 * line that it reads as a command that has the socket as descriptor 3.
 */
const holder = `
  use Socket;
  $^F = 20;
  $| = 1;
  socket(S, PF_INET, SOCK_STREAM, 0) or die;
  bind(S, sockaddr_in(0, inet_aton("127.0.0.1"))) or die;
  listen(S, 128) or die;
  print((sockaddr_in(getsockname(S)))[0], "\\n");
  while (my $line = <STDIN>) {
    chomp $line;
    system split / /, $line;
    print "ended ", $? >> 8, "\\n";
  }
`;
const program = fileURLToPath(new URL("./testing/run.js", import.meta.url));

test("with a socket from systemd a restart keeps callers waiting and refuses nobody", async (t) => {
  t.timeout(120_000);
  const { stdin, stdout } = child(t, "perl", ["-e", holder], {
    stdio: ["pipe", "pipe", "ignore"],
    env: { ...process.env, LISTEN_FDS: "1" },
  }).process;
  const lines = createInterface({ input: stdout as Readable })[Symbol.asyncIterator]();
  const next = async () => String((await lines.next()).value);
  const address = `127.0.0.1:${await next()}`;
  const project = await site(
    t,
    `hook_server "main" { listen = "${address}" }
hook "a" {
  methods = ["GET"]
  run = ["true"]
  response { status = 200 }
}
`,
  );
  const state = join(project.directory, "state");
  const start = async () => {
    stdin?.write(`${process.execPath} ${program} ${project.root} ${state} ${project.control}\n`);
    t.like(JSON.parse(await next()), { listeners: [{ address, prefixes: ["/hooks"] }] });
  };
  const kill = async (signal: NodeJS.Signals) =>
    process.kill(Number(await readFile(join(state, "daemon.pid"), "utf8")), signal);
  const stop = async () => {
    await kill("SIGTERM");
    t.is(await next(), "ended 0");
  };

  await start();
  t.is((await ask(address, "/hooks/a")).status, 200);
  await stop();
  const waiting = ask(address, "/hooks/a");
  await start();
  const answer = await waiting;
  t.is(answer.status, 200, answer.body);
  await stop();
});
