/** The requests to both servers, and the equivalent configurations. */
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { requestOf } from "./requests.js";

export const SECRET = "bench-secret";

export interface Case {
  readonly what: string;
  readonly request: Uint8Array;
  /** The statuses of the right answer, from either. */
  readonly statuses: readonly string[];
  /** How many times as fast as the other one. */
  readonly bar: string;
}

const push = readFileSync(
  new URL("../../../examples/quickstart/payloads/github-push.json", import.meta.url),
  "utf8",
);
const json = { "content-type": "application/json" };
const signature = createHmac("sha256", SECRET).update(push).digest("hex");

export const refused: readonly Case[] = [
  {
    what: "GET, refused by its condition",
    request: requestOf("GET", "/hooks/plain?go=0"),
    statuses: ["403"],
    bar: "≥ 1.0",
  },
  {
    what: `signed push of ${(push.length / 1000).toFixed(1)} kB, refused by its condition`,
    request: requestOf("POST", "/hooks/signed", push, { ...json, "x-signature": signature }),
    statuses: ["403"],
    bar: "≥ 1.5",
  },
];

export const waited: Case = {
  what: "`/bin/true`, waited for",
  request: requestOf("POST", "/hooks/waited", "{}", json),
  statuses: ["200"],
  bar: "≥ 1.2, p99 not above",
};

export const run: readonly Case[] = [
  waited,
  {
    what: "`/bin/echo`, output in the answer",
    request: requestOf("POST", "/hooks/echo", "{}", json),
    statuses: ["200"],
    bar: "≥ 1.2",
  },
  {
    what: "`/bin/true`, answered at once",
    request: requestOf("POST", "/hooks/background", "{}", json),
    // A queue that is full refuses.
    statuses: ["200", "202", "429"],
    bar: "≥ 1.1",
  },
];

/** The configuration of Reeve, with `others` more hooks that get no requests. */
export const configuration = (others = 0): string => `hook_server "main" { listen = "127.0.0.1:0" }

hook "plain" {
  methods = ["GET"]
  when = query.go == "1"
  run = ["/bin/true"]
}

hook "signed" {
  verify "hmac" {
    header = "X-Signature"
    secret = secret("env:BENCH_SECRET")
  }
  when = payload.ref == "refs/heads/none"
  run = ["/bin/true", payload.after]
}

hook "waited" {
  run = ["/bin/true"]
  concurrency = 16
  queue = 1000
  response { wait = true }
}

hook "echo" {
  run = ["/bin/echo", "hello"]
  concurrency = 16
  queue = 1000
  response { include_output = true }
}

hook "background" {
  run = ["/bin/true"]
  concurrency = 16
  queue = 10000
}

${Array.from({ length: others }, (_, index) => `hook "other-${index}" { run = ["/bin/true"] }\n`).join("")}`;

const matching = (source: string, name: string, value: string): object => ({
  match: { type: "value", value, parameter: { source, name } },
});

/** The hooks file of `webhook`. */
export const hooksFile = JSON.stringify([
  {
    id: "plain",
    "execute-command": "/bin/true",
    "http-methods": ["GET"],
    "trigger-rule": matching("url", "go", "1"),
    "trigger-rule-mismatch-http-response-code": 403,
  },
  {
    id: "signed",
    "execute-command": "/bin/true",
    "trigger-rule": {
      and: [
        {
          match: {
            type: "payload-hmac-sha256",
            secret: SECRET,
            parameter: { source: "header", name: "X-Signature" },
          },
        },
        matching("payload", "ref", "refs/heads/none"),
      ],
    },
    "trigger-rule-mismatch-http-response-code": 403,
  },
  { id: "waited", "execute-command": "/bin/true", "include-command-output-in-response": true },
  {
    id: "echo",
    "execute-command": "/bin/echo",
    "include-command-output-in-response": true,
    "pass-arguments-to-command": [{ source: "string", name: "hello" }],
  },
  { id: "background", "execute-command": "/bin/true" },
]);
