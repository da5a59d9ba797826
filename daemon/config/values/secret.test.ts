import { format, inspect } from "node:util";
import test from "ava";
import { SecretValue } from "./secret.js";
import type { ValueNode } from "./value.js";
import { decodeValue, encodeValue } from "./wire.js";

const range = { file: "main.reeve", start: 0, end: 1 };
const node: ValueNode = { op: "secret", reference: "env:TOKEN", range };
const unresolved = new SecretValue(node, ["env:TOKEN"]);
const resolved = unresolved.withContent("hunter2");

const shows = test.macro({
  exec: (t, show: (secret: SecretValue) => string) => {
    for (const secret of [unresolved, resolved]) {
      t.false(show(secret).includes("hunter2"));
      t.false(show(secret).includes("env:TOKEN") && show !== inspectAll);
    }
  },
  title: (name) => `${name} does not show a secret`,
});
const inspectAll = (secret: SecretValue) => inspect(secret, { showHidden: true, depth: 9 });
test("String()", shows, String);
test("a template", shows, (secret) => `${secret}`);
test("concatenation", shows, (secret) => `${secret}x`.concat(String(secret)));
test("JSON", shows, (secret) => JSON.stringify({ secret }));
test("inspect", shows, inspectAll);
test("format", shows, (secret) => format("%s %o %j", secret, secret, secret));
test("spreading", shows, (secret) => JSON.stringify(Object.entries({ ...secret, references: [] })));
test("structured cloning", shows, (secret) =>
  inspect(Object.values(structuredClone({ ...secret, references: [] }))),
);
test("an error's message", shows, (secret) => String(new Error(`failed with ${secret}`)));

test("a secret that is read can be revealed and compared", (t) => {
  t.is(resolved.reveal(), "hunter2");
  t.true(resolved.equals("hunter2"));
  t.true(resolved.equals(new TextEncoder().encode("hunter2")));
  t.false(resolved.equals("hunter3"));
  t.false(resolved.equals(""));
});

test("a secret that is not read says so, and where it would come from", (t) => {
  t.throws(() => unresolved.reveal(), { message: /"env:TOKEN" has not been read yet/ });
  t.throws(() => unresolved.equals("x"), { message: /has not been read yet/ });
});

test("two secrets are compared by content only where both are known", (t) => {
  t.is(resolved.sameContentAs(unresolved), undefined);
  t.true(resolved.sameContentAs(unresolved.withContent("hunter2")));
  t.false(resolved.sameContentAs(unresolved.withContent("other")));
});

test("a secret crosses a border with its content, an unread one without", (t) => {
  const there = (secret: SecretValue) =>
    decodeValue(JSON.parse(JSON.stringify(encodeValue(secret)))) as SecretValue;
  t.is(there(resolved).reveal(), "hunter2");
  t.false(there(unresolved).resolved);
  t.deepEqual(there(unresolved).references, ["env:TOKEN"]);
});
