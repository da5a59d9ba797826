/** Dashboard panels. */
import type { Panel } from "reeve/plugin";
import type { QuestionBoard } from "../proxy/question-board.js";
import type { SandboxRuntime } from "./sandbox-runtime.js";
import type { Traffic } from "./traffic.js";

const shown = { domains: 15, denied: 30, commands: 50 };

export function firewallPanels(
  sandboxes: readonly SandboxRuntime[],
  traffic: Traffic,
  board: QuestionBoard,
  now: number,
): Panel[] {
  return [
    rates(traffic, now),
    sandboxTable(sandboxes),
    commands(sandboxes, now),
    domains(traffic),
    denied(traffic),
    questions(board),
  ];
}

function rates(traffic: Traffic, now: number): Panel {
  const { allowed, denied } = traffic.rates(now);
  return {
    kind: "series",
    id: "rates",
    title: "Requests per second",
    unit: "number",
    interval: 1000,
    series: [
      { name: "allowed", points: allowed },
      { name: "denied", points: denied },
    ],
  };
}

function sandboxTable(sandboxes: readonly SandboxRuntime[]): Panel {
  return {
    kind: "table",
    id: "sandboxes",
    title: "Sandboxes",
    columns: [
      { id: "sandbox", title: "Sandbox" },
      { id: "running", title: "Running", format: "number" },
      { id: "commands", title: "Commands", format: "number", priority: 1 },
      { id: "allowed", title: "Allowed", format: "number" },
      { id: "denied", title: "Denied", format: "number" },
      { id: "bytes", title: "Moved", format: "size", priority: 1 },
    ],
    rows: sandboxes.map(({ name, running, commands: all, allowed, denied: no, bytes }) => ({
      ...{ sandbox: name, running: running.size, commands: all, allowed, denied: no, bytes },
    })),
  };
}

function commands(sandboxes: readonly SandboxRuntime[], now: number): Panel {
  const all = sandboxes.flatMap(({ running }) => [...running]);
  return {
    kind: "table",
    id: "commands",
    title: "Running commands",
    columns: [
      { id: "sandbox", title: "Sandbox" },
      { id: "pid", title: "Pid", format: "number" },
      { id: "for", title: "For", priority: 1 },
      { id: "command", title: "Command" },
      { id: "time", title: "Time", format: "duration" },
      { id: "allowed", title: "Allowed", format: "number", priority: 1 },
      { id: "denied", title: "Denied", format: "number" },
    ],
    rows: all
      .slice(0, shown.commands)
      .map(({ sandbox, pid, request: order, since, allowed, denied: no }) => ({
        ...{ sandbox, pid, for: order.label, command: order.argv.join(" ").slice(0, 200) },
        ...{ time: now - since, allowed, denied: no },
      })),
    omitted: Math.max(0, all.length - shown.commands),
  };
}

function domains(traffic: Traffic): Panel {
  return {
    kind: "table",
    id: "domains",
    title: "Domains",
    columns: [
      { id: "domain", title: "Domain" },
      { id: "allowed", title: "Allowed", format: "number" },
      { id: "denied", title: "Denied", format: "number" },
      { id: "bytes", title: "Moved", format: "size", priority: 1 },
    ],
    rows: traffic.topDomains(shown.domains).map((each) => ({ ...each })),
  };
}

function denied(traffic: Traffic): Panel {
  const all = traffic.denied;
  return {
    kind: "table",
    id: "denied",
    title: "Denied last",
    columns: [
      { id: "at", title: "Time", format: "time" },
      { id: "sandbox", title: "Sandbox" },
      { id: "host", title: "Host" },
      { id: "rule", title: "Rule" },
      { id: "program", title: "Program", priority: 1 },
      { id: "pid", title: "Pid", format: "number", priority: 2 },
      { id: "reason", title: "Reason", priority: 3 },
    ],
    rows: all.slice(0, shown.denied).map(({ pid, program, ...each }) => ({
      ...each,
      program: program ?? null,
      pid: pid ?? null,
    })),
    omitted: Math.max(0, all.length - shown.denied),
  };
}

function questions(board: QuestionBoard): Panel {
  return {
    kind: "table",
    id: "questions",
    title: "Questions",
    columns: [
      { id: "since", title: "Time", format: "time" },
      { id: "sandbox", title: "Sandbox" },
      { id: "domain", title: "Domain" },
      { id: "protocol", title: "Over", priority: 2 },
      { id: "program", title: "Program", priority: 1 },
      { id: "pid", title: "Pid", format: "number", priority: 2 },
      { id: "id", title: "Question", priority: 1 },
    ],
    rows: board.open.map((question) => ({ ...question })),
  };
}
