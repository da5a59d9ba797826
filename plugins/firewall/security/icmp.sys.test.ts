/** No echo request leaves a run. */
import test from "ava";
import { quiet } from "../testing/cases.js";
import { createTestInternet, type TestInternet } from "../testing/test-internet.js";

test.beforeEach((t) => t.timeout(90_000));

let world: TestInternet;
test.before(async () => {
  world = await createTestInternet({ "allowed.test": ["93.184.216.34"] });
});
test.after.always(() => world[Symbol.asyncDispose]());

/** Sends an echo request to each address by each kind of socket, in Python; prints how many were sent. */
const echo = (...addresses: string[]) => `
import socket as s
request = bytes([8, 0, 0xf7, 0xfd, 0, 1, 0, 1])
sent = 0
for address in ${JSON.stringify(addresses)}:
    for kind in (s.SOCK_DGRAM, s.SOCK_RAW):
        try:
            with s.socket(s.AF_INET, kind, s.IPPROTO_ICMP) as c: sent += c.sendto(request, (address, 0)) // 8
        except OSError: pass
print(sent)
`;

/** How many echo requests arrived outside. */
async function arrived(): Promise<number> {
  const { stdout } = await world.start("/bin/cat", ["/proc/net/snmp"]).result;
  const [names = [], values = []] = stdout
    .split("\n")
    .filter((line) => line.startsWith("Icmp:"))
    .map((line) => line.split(" "));
  return Number(values[names.indexOf("InEchos")]);
}

test("no echo request of a command arrives outside, at the host's alias or elsewhere", async (t) => {
  const before = await arrived();
  const inside = await world.awf([
    ...[...quiet, "--enable-host-access", "--allow-domains", "allowed.test", "--"],
    ...["/usr/bin/python3", "-c", echo("93.184.216.34", "192.0.2.1", "127.0.0.1", "8.8.8.8")],
  ]);
  t.is(inside.code, 0, inside.stderr);
  t.is(await arrived(), before);
  // The counter sees a request that is sent outside.
  const outside = await world.start("/usr/bin/python3", ["-c", echo("93.184.216.34")]).result;
  t.not(Number(outside.stdout), 0, outside.stderr);
  t.is(await arrived(), before + Number(outside.stdout));
});
