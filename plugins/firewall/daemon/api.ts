/** Sandboxes in the control API. */

import type { RunningCommand } from "./running-command.js";
import type { SandboxRuntime } from "./sandbox-runtime.js";

interface CommandSummary {
  readonly id: string;
  readonly pid: number;
  readonly label: string;
  readonly argv: readonly string[];
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly allowed: number;
  readonly denied: number;
}

export interface SandboxSummary {
  readonly name: string;
  readonly allow: readonly string[];
  readonly block: readonly string[];
  readonly allowUrls: readonly string[];
  readonly intercepts: boolean;
  readonly hostPorts: readonly number[];
  readonly running: readonly CommandSummary[];
  /** Since the daemon started. */
  readonly commands: number;
  readonly allowed: number;
  readonly denied: number;
  readonly bytes: number;
}

export interface DecisionSummary {
  /** `github.com over https`, or the URL. */
  readonly subject: string;
  readonly allowed: boolean;
  readonly rule: string;
  readonly pattern?: string;
  /** Empty for an allowed subject. */
  readonly reason: string;
}

/** The body of `POST …/runs`. */
export interface RunOrder {
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly terminal?: boolean;
}

/** Frames between the outputs of a run. */
export type RunEvent =
  | { readonly event: "accepted"; readonly command: string; readonly pid: number }
  /** From the request. */
  | { readonly event: "started"; readonly milliseconds: number }
  | {
      readonly event: "ended";
      readonly outcome: string;
      readonly exitCode?: number | undefined;
      readonly signal?: string | undefined;
      readonly error?: string | undefined;
      readonly allowed: number;
      readonly denied: number;
    };

export function summarizeSandbox(sandbox: SandboxRuntime): SandboxSummary {
  const { name, definition, running, commands, allowed, denied, bytes } = sandbox;
  const { policy, hostPorts = [], intercept } = definition.spec;
  return {
    name,
    allow: policy.allow.patterns.map(({ text }) => text),
    block: policy.block.patterns.map(({ text }) => text),
    allowUrls: policy.urls.map(({ text }) => text),
    intercepts: intercept,
    hostPorts,
    running: [...running].map(summarizeCommand),
    ...{ commands, allowed, denied, bytes },
  };
}

function summarizeCommand(command: RunningCommand): CommandSummary {
  const { id, pid, request, since, allowed, denied } = command;
  return { id, pid, label: request.label, argv: request.argv, since, allowed, denied };
}
