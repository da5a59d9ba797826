/**
 * A plugin in a process of its own, started with Node's permission flags: it reads its code and its own directories,
 * writes its own directories, and touches nothing else that it has not declared. It ends when the daemon does.
 */

import { type ChildProcess, fork } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import {
  type Carrier,
  type CarrierOptions,
  DEFAULT_HEAP,
  environmentFor,
  printLines,
} from "./carrier.js";
import { MeteredPort } from "./credit.js";
import type { ExitReason } from "./daemon-port.js";
import type { Port } from "./peer.js";

export function openProcess(options: CarrierOptions): Carrier {
  const heap = options.heap ?? DEFAULT_HEAP;
  const flags = [...permissionFlags(options), "--disable-sigusr1", `--max-old-space-size=${heap}`];
  const env = environmentFor(options.permissions, process.env);
  const child = fork(fileURLToPath(options.entry), [], {
    ...(isSea() ? { execArgv: [], env: { ...env, ...asModule(flags) } } : { execArgv: flags, env }),
    serialization: "advanced",
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  void printLines(child.stdout, (line) => options.print("stdout", line));
  void printLines(child.stderr, (line) => options.print("stderr", line));
  let refused: string | undefined;
  const gone = endOf(child, heap).then((why) => refused ?? why);
  const pipe: Port = {
    send: (message) => {
      // A pipe that has just broken is reported by `gone`.
      if (child.connected) child.send(message, () => undefined);
    },
    receive: (listener) => {
      child.on("message", (message: unknown) => {
        if (!isExitReason(message)) listener(message);
      });
    },
  };
  const port = new MeteredPort(pipe, (what) => {
    refused = what;
    child.kill("SIGKILL");
  });
  return {
    port,
    pid: child.pid,
    gone,
    async terminate() {
      child.ref();
      child.kill("SIGKILL");
      await gone;
    },
    unref() {
      child.unref();
      child.channel?.unref();
      for (const stream of [child.stdout, child.stderr]) (stream as unknown as Unref)?.unref();
    },
  };
}

const isExitReason = (message: unknown): message is ExitReason =>
  typeof message === "object" && message !== null && "lastWords" in message;

interface Unref {
  unref(): void;
}

function endOf(child: ChildProcess, heap: number): Promise<string> {
  return new Promise((resolve) => {
    let lastWords: string | undefined;
    child.on("message", (message: unknown) => {
      if (isExitReason(message)) lastWords ??= String(message.lastWords);
    });
    child.on("error", (error) => resolve(`could not be started: ${error.message}`));
    child.on("exit", (code, signal) => {
      if (lastWords !== undefined) resolve(`crashed: ${lastWords}`);
      else if (signal === "SIGABRT") resolve(`was aborted, probably out of memory (${heap} MiB)`);
      else if (signal !== null) resolve(`was ended by ${signal}`);
      else resolve(`ended itself with code ${code}`);
    });
  });
}

/** Node's flags for what the plugin declares. Commands run through the host, so it never needs child processes. */
function permissionFlags({
  code,
  own,
  permissions,
}: Pick<CarrierOptions, "code" | "own" | "permissions">): readonly string[] {
  const { read, write, net } = permissions;
  const modules = [OWN_CODE, ...code].flatMap((folder) => [folder, ...modulesAbove(folder)]);
  const readable = read === true ? ["*"] : [...modules, ...own, ...(read ?? [])];
  const writable = write === true ? ["*"] : [...own, ...(write ?? [])];
  return [
    "--permission",
    ...withRealPaths(readable).map((path) => `--allow-fs-read=${path}`),
    ...withRealPaths(writable).map((path) => `--allow-fs-write=${path}`),
    ...(net !== undefined && process.allowedNodeEnvironmentFlags.has("--allow-net")
      ? ["--allow-net"]
      : []),
  ];
}

/** Makes the single executable start a module; it takes options of Node from nowhere else. */
function asModule(flags: readonly string[]): Record<string, string> {
  const words = flags.map((flag) => `"${flag.replace(/["\\]/g, "\\$&")}"`);
  return { REEVE_MODULE: "1", NODE_OPTIONS: words.join(" ") };
}

/** The daemon's package: a plugin's side of the border is made of it, too. */
const OWN_CODE = fileURLToPath(new URL("../../../..", import.meta.url)).replace(/(?<=.)\/$/, "");

/** Libraries that code in `folder` may import. */
function modulesAbove(folder: string): readonly string[] {
  const parent = dirname(folder);
  const own = [join(folder, "node_modules"), join(folder, "package.json")].filter(existsSync);
  return parent === folder ? own : [...own, ...modulesAbove(parent)];
}

/** Node compares paths as they are spelled: both spellings of a linked path are meant. */
function withRealPaths(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, ...realPath(path)]))];
}

function realPath(path: string): readonly string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}
