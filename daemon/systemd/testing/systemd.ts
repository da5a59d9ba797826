import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import type { Readable } from "node:stream";
import type { ExecutionContext } from "ava";
import { child } from "../../../tests/support/child.js";
import { within } from "../../../tests/support/eventually.js";
import { temporaryDirectory } from "../../http/testing/temporary.js";

/** A datagram socket is beyond Node; every Debian has perl. One line a message, its lines joined by `;`. */
const receiver = `
  use Socket;
  $| = 1;
  socket(S, AF_UNIX, SOCK_DGRAM, 0) or die;
  bind(S, sockaddr_un($ARGV[0])) or die;
  print "listening\\n";
  while (defined recv(S, $message, 8192, 0)) {
    $message =~ s/\\n+$//;
    $message =~ s/\\n/;/g;
    print "$message\\n" unless $message eq "BARRIER=1";
  }
`;

export interface Systemd {
  readonly socket: string;
  /** The next message. */
  next(): Promise<string>;
}

/** Receives what systemd would be told. */
export async function systemd(t: ExecutionContext): Promise<Systemd> {
  const socket = join(await temporaryDirectory(t), "notify");
  const { stdout } = child(t, "perl", ["-e", receiver, socket]).process;
  const lines = createInterface({ input: stdout as Readable })[Symbol.asyncIterator]();
  const next = async () => String((await within("a message", lines.next())).value);
  t.is(await next(), "listening");
  return { socket, next };
}
