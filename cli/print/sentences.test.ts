import test from "ava";
import fc from "fast-check";
import { eventSentence } from "./sentences.js";

const said = (type: string, data: Record<string, unknown>): string => {
  const { state, object, text } = eventSentence({ type, data }) ?? {};
  return `${state} | ${object} ${text}`;
};

const cases: ReadonlyArray<readonly [type: string, data: Record<string, unknown>, string]> = [
  [
    "hook.finished",
    {
      hook: "deploy",
      run: "r",
      state: "succeeded",
      duration: 8,
      exitCode: 0,
      trigger: "POST /hooks/deploy",
    },
    "succeeded | deploy succeeded in 8ms, triggered by POST /hooks/deploy",
  ],
  [
    "task.finished",
    { task: "smoke", state: "failed", duration: 12_000, exitCode: 1, reason: "It ended with 1." },
    "failed | smoke failed in 12s, exit 1",
  ],
  [
    "schedule.finished",
    {
      schedule: "backup",
      state: "timed_out",
      duration: 2000,
      reason: "The command took longer than 2s.",
    },
    "timed_out | backup timed out in 2s: The command took longer than 2s",
  ],
  [
    "hook.rejected",
    {
      hook: "signed",
      status: 401,
      reason: "bad_signature",
      detail: "It is missing.",
      trigger: "POST /x",
    },
    "denied | signed refused POST /x with 401: It is missing",
  ],
  [
    "sandbox.denied",
    {
      sandbox: "fence",
      domain: "tracker.example:443",
      program: "curl",
      reason: "not in allowlist",
    },
    "denied | fence denied tracker.example:443 to curl: not in allowlist",
  ],
  [
    "config.reloaded",
    { generation: 4, trigger: "edit", added: 0, updated: 1, unchanged: 9 },
    "changed | generation 4 runs, by edit: 1 updated, 9 unchanged",
  ],
  [
    "update.opened",
    { repo: "acme/site", number: 4, title: "Bump left-foo" },
    "changed | acme/site #4 was opened: Bump left-foo",
  ],
  [
    "settings.changed",
    { name: "zls", version: 2, changed: [{ key: "warn_style" }, { key: "x" }] },
    "changed | zls has version 2: warn_style, x",
  ],
  ["plugin.failed", { plugin: "weather" }, "failed | weather failed"],
];
for (const [type, data, sentence] of cases) {
  test(`${type} as a sentence: ${sentence}`, (t) => {
    t.is(said(type, data), sentence);
  });
}

test("a type of another plugin has none, also where it is a name of JavaScript", (t) => {
  for (const type of ["weather.rain", "toString", "__proto__", ""]) {
    t.is(eventSentence({ type, data: {} }), undefined);
  }
});

test("no data breaks a sentence or moves the cursor", (t) => {
  const types = cases.map(([type]) => type);
  const value = fc.oneof(fc.string(), fc.integer(), fc.constant(null), fc.array(fc.jsonValue()));
  const names = [...new Set(cases.flatMap(([, data]) => Object.keys(data)))];
  fc.assert(
    fc.property(
      fc.constantFrom(...types),
      fc.dictionary(fc.constantFrom(...names), value),
      (type, data) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
        t.notRegex(said(type, data), /[\u0000-\u001f\u007f\u202e]/);
      },
    ),
  );
});
