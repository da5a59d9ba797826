/**
 * What a hook costs beside a server written by hand for the one purpose, in turn on the same machine: requests that are
 * looked at and refused, and commands that are waited for. Prints one table:
 * node dist/bench/hooks/main.js
 */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { startDaemon } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";
import { SECRET, serveBare, startBare } from "./bare.js";
import { type Measured, measure, requestOf } from "./requests.js";

const ROUNDS = 5;
const SECONDS = 3;
const LOAD = { connections: 16, milliseconds: SECONDS * 1000 };

const configuration = `hook_server "main" { listen = "127.0.0.1:0" }

hook "plain" {
  methods = ["GET"]
  when = query.go == "1"
  run = ["true"]
}

hook "signed" {
  verify "hmac" {
    header = "X-Signature"
    secret = secret("env:BENCH_SECRET")
  }
  when = payload.ref == "refs/heads/none"
  run = ["true", payload.after]
}

hook "waited" {
  run = ["true"]
  concurrency = 8
  queue = 1000
  response { wait = true }
}
`;

if (process.argv[2] === "bare") await serveBare();
else await compare();

async function compare(): Promise<void> {
  const push = readFileSync(
    new URL("../../../examples/quickstart/payloads/github-push.json", import.meta.url),
    "utf8",
  );
  const signature = createHmac("sha256", SECRET).update(push).digest("hex");
  const json = { "content-type": "application/json" };
  const requests = {
    plain: requestOf("GET", "/hooks/plain?go=0"),
    signed: requestOf("POST", "/hooks/signed", push, { ...json, "x-signature": signature }),
    waited: requestOf("POST", "/hooks/waited", "{}", json),
  };
  const bare = await startBare(fileURLToPath(import.meta.url));
  const daemon = await startDaemon({
    files: { "main.reeve": configuration },
    env: { BENCH_SECRET: SECRET },
  });
  try {
    const { hooks } = await daemon.control<{ hooks: ReadonlyArray<{ url: string }> }>(
      "GET",
      "/v1/hooks",
    );
    const port = Number(new URL(hooks[0]?.url ?? "").port);
    const rows: Row[] = [];
    for (const [what, name] of [
      ["GET, refused by its condition", "plain"],
      [`signed push of ${(push.length / 1000).toFixed(1)} kB, refused by its condition`, "signed"],
    ] as const) {
      const ours: Measured[] = [];
      const theirs: Measured[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        ours.push(expecting("403", await measure(port, requests[name], LOAD)));
        theirs.push(expecting("403", await measure(bare.port, requests[name], LOAD)));
      }
      rows.push({ what, result: versus(ours, theirs), bar: "≥ 0.5 of a bare Fastify" });
    }
    const waited: Measured[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      waited.push(expecting("200", await measure(port, requests.waited, LOAD)));
    }
    rows.push({ what: "`true`, recorded and waited for", result: told(waited), bar: "–" });
    print(rows, `${LOAD.connections} connections, medians of ${ROUNDS} × ${SECONDS} s in turn.`);
  } finally {
    await daemon.stop();
    await bare.stop();
  }
}

function expecting(status: string, measured: Measured): Measured {
  const others = Object.keys(measured.statuses).filter((each) => each !== status);
  if (others.length > 0) throw new Error(`answers with ${others.join(", ")} instead of ${status}`);
  return measured;
}

function rate(all: readonly Measured[]): number {
  return median(all.map(({ perSecond }) => perSecond));
}

function told(all: readonly Measured[]): string {
  const tail = median(all.map(({ latencies }) => quantile(latencies, 0.99)));
  return `${rate(all).toFixed(0)}/s, p99 ${tail.toFixed(1)} ms`;
}

/** The share is the median of the rounds' shares: both sides had the same minute. */
function versus(ours: readonly Measured[], theirs: readonly Measured[]): string {
  const shares = ours.map(({ perSecond }, round) => perSecond / (theirs[round]?.perSecond ?? 1));
  return `${told(ours)}; bare ${told(theirs)}; ${median(shares).toFixed(2)}`;
}
