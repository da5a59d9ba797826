import {
  bytes,
  count,
  duration,
  exactly,
  flag,
  list,
  map,
  object,
  oneOf,
  ref,
  type Schema,
  says,
  text,
  time,
} from "./make.js";

const position = object({ line: count, column: count, offset: count });
const at = { "file?": text, "range?": object({ start: position, end: position }) };

const actions = ["unchanged", "updated", "replaced", "added", "removed"] as const;
const summary = object(Object.fromEntries(actions.map((action) => [action, count])));
const reason = object({
  path: says(text, "As people write it: `verify[0].secret`."),
  reload: oneOf("live", "restart", "daemon"),
  "before?": says(text, "In the language, shortened, secrets as `(secret)`."),
  "after?": text,
});

const generation = {
  number: count,
  state: oneOf(
    "attempting",
    "unchanged",
    "rejected",
    "probation",
    "committed",
    "rolled_back",
    "superseded",
  ),
  trigger: oneOf("boot", "edit", "request", "signal", "rollback", "source"),
  sourceHash: text,
  "git?": object({ commit: text, dirty: flag }),
  at: time,
  duration,
  "summary?": summary,
  diagnostics: list(ref("Diagnostic")),
  "reason?": text,
};

const findings = {
  diagnostics: list(ref("Diagnostic")),
  sources: says(map(text), "The texts that the diagnostics point into, by file."),
};

const problem = {
  type: text,
  title: text,
  status: { type: "integer", minimum: 400, maximum: 599 },
  detail: says(text, "What went wrong this time, in one sentence."),
  code: text,
  "help?": text,
};

/** Generations, plans, diagnostics and problems. */
export const configurationSchemas: Readonly<Record<string, Schema>> = {
  Diagnostic: object({
    code: text,
    severity: oneOf("error", "warning", "info"),
    message: text,
    ...at,
    "label?": text,
    "help?": text,
    "notes?": list(text),
    "fix?": object({ title: text, edits: list(object({ ...at, text })) }),
    "related?": list(object({ ...at, message: text })),
    "subject?": text,
    "trace?": list(object({ ...at, description: text })),
  }),
  Plan: object({
    changes: list(
      object({ key: text, plugin: text, action: oneOf(...actions), reasons: list(reason) }),
    ),
    "settings?": list(reason),
    needsRestart: list(text),
    summary,
  }),
  GenerationSummary: object(generation, "One attempt to change what runs."),
  GenerationDetail: object({ ...generation, "plan?": ref("Plan") }),
  GenerationList: object({ generations: list(ref("GenerationSummary")) }),
  PlanResult: object({ plan: ref("Plan"), ...findings }),
  ReloadResult: object({ generation: ref("GenerationDetail"), ...findings }),
  RollbackRequest: object({ generation: { type: "integer", minimum: 1 } }),
  BackupRequest: object({ "to?": { type: "string", pattern: "^/" } }),
  BackupResult: object({ to: text, files: count, bytes }),
  SourceStatus: object({
    ...{ url: text, branch: text, path: text, "commit?": text },
    ...{ "appliedAt?": time, "contactAt?": time, "pausedUntil?": time },
    "failure?": object({ code: text, reason: text, polls: count }),
    "refused?": object({ commit: text, code: text, reason: text, at: time }),
  }),
  SourceRequest: object({
    action: oneOf("poll", "retry", "resume", "pause", "accept"),
    "duration?": says(
      { type: "number", minimum: 1000, maximum: 30 * 24 * 3_600_000 },
      "Milliseconds, for `pause`.",
    ),
    "commit?": says({ type: "string", pattern: "^[0-9a-f]{12,64}$" }, "For `accept`."),
  }),
  Problem: object(problem, "An error, as RFC 9457 has it."),
  ConfigurationProblem: object(
    {
      ...problem,
      code: exactly("configuration_rejected"),
      ...findings,
      "generation?": ref("GenerationDetail"),
    },
    "What ran before runs on.",
  ),
};
