/** Clone and push over HTTP through `git http-backend`. The response is a stream. */
import { spawn } from "node:child_process";
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { UpdatesError } from "../errors.js";
import { gitEnvironment } from "./git.js";

export interface BackendRequest {
  /** The folder that contains all repositories. */
  readonly root: string;
  /** Below the folder: `/acme/site.git/info/refs`. */
  readonly path: string;
  readonly method: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  /** The pushing user. @default pushes are refused */
  readonly user: string | undefined;
  readonly body: Readable | undefined;
}

export interface BackendAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
  /** Resolves when git has exited. */
  readonly done: Promise<void>;
}

/** Bytes; longer headers are not git's. */
const longestHead = 65_536;

/** @throws UpdatesError if git does not answer */
export async function backend(request: BackendRequest): Promise<BackendAnswer> {
  const child = spawn("git", ["http-backend"], {
    env: environmentOf(request),
    stdio: ["pipe", "pipe", "ignore"],
  });
  const done = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  child.stdin.on("error", () => undefined);
  if (request.body) {
    request.body.on("error", () => child.kill());
    request.body.pipe(child.stdin);
  } else child.stdin.end();
  const head = await headOf(child.stdout);
  if (!head) {
    child.kill();
    throw new UpdatesError("git_failed", "git http-backend gave no answer.");
  }
  child.stdout.unshift(head.rest);
  return { status: head.status, headers: head.headers, body: child.stdout, done };
}

function environmentOf(request: BackendRequest): Record<string, string> {
  const { root, path, method, query, headers, user } = request;
  const text = (value: string | string[] | undefined): string => String(value ?? "");
  const more = {
    GIT_PROJECT_ROOT: root,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: path,
    REQUEST_METHOD: method,
    QUERY_STRING: query,
    CONTENT_TYPE: text(headers["content-type"]),
    ...(headers["content-length"] ? { CONTENT_LENGTH: headers["content-length"] } : {}),
    ...(headers["content-encoding"]
      ? { HTTP_CONTENT_ENCODING: text(headers["content-encoding"]) }
      : {}),
    ...(headers["git-protocol"] ? { GIT_PROTOCOL: text(headers["git-protocol"]) } : {}),
    ...(user === undefined ? {} : { REMOTE_USER: user }),
  };
  return gitEnvironment(more, {
    // Clients may fetch pull requests, but not push them.
    "receive.hideRefs": "refs/pull",
    "receive.denyCurrentBranch": "updateInstead",
    "http.receivepack": user === undefined ? "false" : "true",
  });
}

interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** The part of the body received with the headers. */
  readonly rest: Buffer;
}

function headOf(stream: Readable): Promise<Head | undefined> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0);
    const finish = (head: Head | undefined): void => {
      stream.off("data", take);
      stream.off("end", give);
      stream.pause();
      resolve(head);
    };
    const give = (): void => finish(undefined);
    const take = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf("\r\n\r\n");
      if (end === -1) {
        if (received.length > longestHead) give();
        return;
      }
      const lines = received.subarray(0, end).toString("latin1").split("\r\n");
      const headers: Record<string, string> = {};
      for (const line of lines) {
        const colon = line.indexOf(":");
        headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
      }
      const { status, ...others } = headers;
      finish({
        status: status === undefined ? 200 : Number.parseInt(status, 10),
        headers: others,
        rest: received.subarray(end + 4),
      });
    };
    stream.on("data", take);
    stream.on("end", give);
  });
}
