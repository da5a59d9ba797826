import test from "ava";
import { Policy } from "../policy/policy.js";
import { type DomainQuestion, Questions } from "./questions.js";

function setUp(t: { teardown(work: () => void): void }, limitMs?: number) {
  const opened: DomainQuestion[] = [];
  const results: string[] = [];
  const questions = new Questions(
    {
      opened: (question) => opened.push(question),
      closed: ({ domain }, result) => results.push(`${domain} ${result}`),
    },
    limitMs,
  );
  t.teardown(() => questions[Symbol.dispose]());
  const stays = { requester: undefined, whenLeft: () => () => {} };
  const ask = (domain: string) => questions.ask(domain, "https", stays);
  /** A client that leaves when the test says so. */
  const visit = (domain: string) => {
    let leave = () => {};
    const whenLeft = (left: () => void) => {
      leave = left;
      return () => {
        leave = () => {};
      };
    };
    const verdict = questions.ask(domain, "https", { requester: undefined, whenLeft });
    return { verdict, leave: () => leave() };
  };
  return { opened, results, questions, ask, visit };
}

const policyOf = (...allow: readonly string[]) => Policy.parse({ allow, block: [] });

test("without an answer a connection is denied, and the next one is not asked about", async (t) => {
  const { opened, results, ask } = setUp(t, 10);
  t.like(await ask("x.test"), { allowed: false, rule: "deny-unanswered" });
  t.like(await ask("x.test"), { allowed: false, rule: "deny-unanswered" });
  t.is(opened.length, 1);
  t.deepEqual(results, ["x.test expired"]);
});

test("at most 16 questions are open; connections to further domains are denied", async (t) => {
  const { opened, ask } = setUp(t);
  for (let n = 0; n < 16; n += 1) void ask(`n${n}.test`);
  t.like(await ask("further.test"), { allowed: false, rule: "deny-too-many-questions" });
  t.is(opened.length, 16);
});

test("at most 256 connections wait for one answer", async (t) => {
  const { opened, ask } = setUp(t);
  const waiting = Array.from({ length: 256 }, () => ask("x.test"));
  t.like(await ask("x.test"), { rule: "deny-too-many-questions" });
  opened[0]?.answer("once");
  t.deepEqual(
    new Set((await Promise.all(waiting)).map(({ rule }) => rule)),
    new Set(["allow-asked-once"]),
  );
});

test("a question ends at once when every client that waits has left", async (t) => {
  const { opened, results, visit } = setUp(t);
  const [one, other] = [visit("x.test"), visit("x.test")];
  one.leave();
  t.deepEqual(results, []);
  other.leave();
  t.deepEqual(results, ["x.test abandoned"]);
  for (const { verdict } of [one, other]) t.like(await verdict, { rule: "deny-abandoned" });
  const next = visit("x.test");
  t.is(opened.length, 2, "the next client is asked about");
  opened[1]?.answer("once");
  t.like(await next.verdict, { allowed: true });
  next.leave();
  t.deepEqual(results, ["x.test abandoned", "x.test once"]);
});

test("clients that come and go open at most 16 questions in the time of one", async (t) => {
  const { opened, visit } = setUp(t);
  for (let n = 0; n < 40; n += 1) {
    const { verdict, leave } = visit(n % 2 === 0 ? "x.test" : `n${n}.test`);
    leave();
    const rule = n < 16 ? "deny-abandoned" : "deny-too-many-questions";
    t.like(await verdict, { rule });
  }
  t.is(opened.length, 16);
});

test("names that no public server has are not asked about", (t) => {
  const { questions } = setUp(t);
  const verdict = { allowed: false, rule: "deny-default", reason: "" };
  const asks = (host: string) => questions.asks(verdict, host);
  const local = ["wpad", "localhost", "printer.local", "metadata.google.internal", "a.b.lan"];
  t.deepEqual([...local, "1.0.0.127.in-addr.arpa", "x.onion"].filter(asks), []);
  t.deepEqual(["x.test", "local.example", "a.internal.example"].filter(asks).length, 3);
});

test("an entry that a reload adds answers the open question", async (t) => {
  const { results, questions, ask } = setUp(t);
  const answer = ask("x.test");
  questions.reconsider(policyOf("other.test"));
  t.deepEqual(results, []);
  questions.reconsider(policyOf("x.test"));
  t.like(await answer, { allowed: true, pattern: "x.test" });
  t.deepEqual(results, ["x.test rule"]);
});

test("a public suffix cannot be allowed for the run; its question stays open", async (t) => {
  const { opened, results, ask } = setUp(t);
  const answer = ask("co.uk");
  t.throws(() => opened[0]?.answer("run"), { message: /public suffix/ });
  t.deepEqual(results, []);
  opened[0]?.answer("once");
  t.like(await answer, { allowed: true, rule: "allow-asked-once" });
});

test("an answer for the run extends the policy that counts, and blocks still win", async (t) => {
  const { opened, questions, ask } = setUp(t);
  void ask("x.test");
  opened[0]?.answer("run");
  const decide = (policy: Policy) =>
    questions.extend(policy).decide({ host: "x.test", port: 443, protocol: "https" });
  t.like(decide(policyOf()), { allowed: true, rule: "allow-asked-run" });
  const blocking = Policy.parse({ allow: [], block: ["x.test"] });
  t.like(decide(blocking), { allowed: false, rule: "deny-blocked-plain" });
});

test("the end of the run denies what waits", async (t) => {
  const { questions, ask } = setUp(t);
  const answer = ask("x.test");
  questions[Symbol.dispose]();
  t.like(await answer, { allowed: false });
});
