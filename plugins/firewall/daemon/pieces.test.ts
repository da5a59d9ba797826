import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import type { AccessRecord } from "../log/entry.js";
import { AccessLogWriter } from "../log/writer.js";
import { eventFrame, RunFrameReader, runFrame } from "./frames.js";
import { SandboxOutput } from "./service.js";
import { Traffic } from "./traffic.js";

const record = (
  host: string,
  decision = "TCP_DENIED:HIER_NONE",
  timestamp = 1000,
): AccessRecord => ({
  ...{ timestamp, clientIp: "127.0.0.1", clientPort: "1", host, destIp: "-", destPort: "-" },
  ...{ protocol: "1.1", method: "GET", statusCode: 403, decision, url: `http://${host}/` },
  ...{ userAgent: "-", rule: "deny-default", bytesSent: 1, bytesReceived: 2, durationMs: 3 },
});

const outputs: ReadonlyArray<readonly [pieces: readonly string[], kept: string, omitted: number]> =
  [
    [["abc"], "abc", 0],
    [["abcd", "efgh"], "abcdefgh", 0],
    [["abcd", "efgh", "ijkl"], "abcdijkl", 4],
    [["abcdefghijklmnopqrstuvwxyz"], "abcdwxyz", 18],
  ];
for (const [pieces, kept, omitted] of outputs) {
  test(`of ${pieces.join("+")} eight bytes are ${kept}`, (t) => {
    const output = new SandboxOutput(8);
    for (const piece of pieces) output.push(Buffer.from(piece));
    t.is(output.kept.bytes.toString(), kept);
    t.is(output.kept.omitted, omitted);
  });
}

test("frames are reassembled from any pieces", (t) => {
  const whole = Buffer.concat([
    runFrame("stdout", Buffer.from("one")),
    eventFrame({ event: "started" }),
    runFrame("stderr", new Uint8Array()),
  ]);
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const reader = new RunFrameReader();
    const found = [...reader.push(whole.subarray(0, cut)), ...reader.push(whole.subarray(cut))];
    t.deepEqual(
      found.map(({ kind, data }) => [kind, data.toString()]),
      [
        ["stdout", "one"],
        ["event", '{"event":"started"}'],
        ["stderr", ""],
      ],
    );
  }
  t.throws(() => new RunFrameReader().push(Buffer.from("HTTP/1.1 200 OK")));
});

test("traffic counts by second and by domain, and keeps the last denied requests", (t) => {
  const traffic = new Traffic();
  traffic.add("a", record("x.test"));
  traffic.add("a", record("x.test", "TCP_TUNNEL:HIER_DIRECT", 1001));
  traffic.add("a", record("y.test", "TCP_DENIED:HIER_NONE", 1001));
  const { allowed, denied } = traffic.rates(1_001_500);
  t.deepEqual(
    [allowed.slice(-3), denied.slice(-3)],
    [
      [0, 0, 1],
      [0, 1, 1],
    ],
  );
  t.is(Math.max(...traffic.rates(1_100_000).denied), 0);
  t.deepEqual(
    traffic.denied.map(({ host }) => host),
    ["y.test", "x.test"],
  );
  t.deepEqual(traffic.topDomains(1), [{ domain: "x.test", allowed: 1, denied: 1, bytes: 6 }]);
});

test("a full log rotates, and the previous one is kept", (t) => {
  const directory = mkdtempSync(join(tmpdir(), "reeve-log-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const log = new AccessLogWriter(directory, { limit: 10 });
  for (const host of ["one.test", "two.test", "three.test"]) {
    log.write(record(host));
    log.flush();
  }
  log.write(record("four.test"));
  log.close();
  t.deepEqual(readdirSync(directory).sort(), [
    "access.jsonl",
    "access.jsonl.1",
    "access.log",
    "access.log.1",
  ]);
  t.regex(readFileSync(join(directory, "access.log.1"), "utf8"), /four\.test/);
});
