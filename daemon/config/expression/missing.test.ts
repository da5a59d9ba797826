/** What is missing stays missing: docs/architecture.md, "From text to running". */
import test from "ava";
import { outcomeOf } from "../testing/evaluate-text.js";

const gives = test.macro({
  exec: (t, text: string, outcome: string) => t.is(outcomeOf(text), outcome),
  title: (_, text, outcome) => `${text} is ${outcome}`,
});

test(gives, "payload.nothing", "missing payload.nothing");
test(gives, "payload.nothing.deeper", "missing payload.nothing");
test(gives, "payload.none", "null");
test(gives, "payload.none.x", "missing payload.none.x");
test(gives, "!payload.nothing", "missing payload.nothing");
test(gives, "payload.nothing == null", "missing payload.nothing");
test(gives, 'payload.nothing != "x"', "missing payload.nothing");
test(gives, "false && payload.nothing", "false");
test(gives, "payload.nothing && payload.no", "missing payload.nothing");
test(gives, "payload.nothing && !payload.flag", "false");
test(gives, "payload.nothing || payload.flag", "true");
test(gives, "payload.flag || payload.nothing", "true");
test(gives, "payload.nothing || !payload.flag", "missing payload.nothing");
test(gives, 'payload.nothing ? "a" : "b"', "missing payload.nothing");
test(gives, '"${payload.nothing}"', "missing payload.nothing");
test(gives, "lower(payload.nothing)", "missing payload.nothing");
test(gives, "[payload.ref, payload.nothing]", "missing payload.nothing");
test(gives, 'payload.nothing ?? "x"', '"x"');
test(gives, 'payload.none ?? "x"', '"x"');
test(gives, "payload.nothing.a.b ?? payload.ref", '"refs/heads/main"');
test(gives, "coalesce(payload.nothing, payload.none, payload.ref)", '"refs/heads/main"');
test(gives, "coalesce(payload.nothing, payload.no)", "missing payload.no");
test(gives, 'try(payload.nothing, "x")', '"x"');
test(gives, 'try(payload.ref.x, "x")', '"x"');
test(gives, "defined(payload.nothing)", "false");
test(gives, "defined(payload.none)", "true");
test(gives, "defined(payload.ref.x.y)", "false");
test(gives, 'header["X-ENV"]', '"prod"');
test(gives, 'header["X-Other"]', 'missing header["x-other"]');
test(gives, 'header[upper(payload.which ?? "x-env")]', '"prod"');
