import test from "ava";
import fc from "fast-check";
import { pathOf, rivalsOf } from "./assign.js";
import type { HookExplanation } from "./evidence/api.js";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";
import { sign, VERIFY } from "./testing/request.js";

const event = (name: string, priority: number, more = "") =>
  hook(
    name,
    `path = "/github"\npriority = ${priority}\nwhen = header["x-event"] == "${name}"\nrun = ["echo", "${name}"]\n${WAIT}\n${more}`,
  );

test("the first hook whose condition holds runs alone", async (t) => {
  const any = hook(
    "any",
    `path = "/github"\npriority = 9\nwhen = method == "POST"\nrun = ["echo", "any"]\n${WAIT}`,
  );
  const { post, plugin } = await startFixture(
    t,
    SERVER + any + event("push", 1) + event("ping", 2),
  );
  for (const [sent, runs] of [
    ["push", "push"],
    ["ping", "ping"],
    ["star", "any"],
  ] as const) {
    const response = await post("github", "", { "x-event": sent });
    t.is(await response.text(), `${runs}\n`);
  }
  t.is(plugin.events.filter(({ type }) => type === "hook.triggered").length, 3);
});

test("an explanation names the hook of the path that runs instead", async (t) => {
  const at = await startFixture(t, SERVER + event("push", 1) + event("ping", 2));
  const explained = async (name: string, sent: string) => {
    const payload = { hook: name, headers: { "x-event": sent } };
    const answer = await at.plugin.control({
      method: "POST",
      url: "/v1/hooks/explain",
      payload,
    });
    return answer.json() as HookExplanation;
  };
  const other = await explained("ping", "push");
  t.like(other, { takenBy: "push", argv: undefined });
  t.like(other.decision[0], { what: "path", holds: false });
  const own = await explained("ping", "ping");
  t.like(own, { takenBy: undefined, argv: ["echo", "ping"] });
  t.like(own.decision[0], { what: "path", holds: true });
});

test("each method of a path has its hook", async (t) => {
  const by = (name: string, method: string) =>
    hook(name, `path = "/item"\nmethods = ["${method}"]\nrun = ["echo", "${name}"]\n${WAIT}`);
  const { url } = await startFixture(t, SERVER + by("read", "GET") + by("remove", "DELETE"));
  t.is(await (await fetch(`${url}/item`)).text(), "read\n");
  t.is(await (await fetch(`${url}/item`, { method: "DELETE" })).text(), "remove\n");
  const refused = await fetch(`${url}/item`, { method: "PUT" });
  t.is(refused.status, 405);
  t.is(refused.headers.get("allow"), "GET, DELETE");
});

test("hooks of one path name its parameters as they like", async (t) => {
  const { url } = await startFixture(
    t,
    SERVER +
      hook("a", `path = "/x/:a"\nmethods = ["GET"]\nrun = ["echo", path.a]\n${WAIT}`) +
      hook("b", `path = "/x/:b"\nrun = ["echo", path.b]\n${WAIT}`),
  );
  t.is(await (await fetch(`${url}/x/1`)).text(), "1\n");
  t.is(await (await fetch(`${url}/x/2`, { method: "POST" })).text(), "2\n");
});

test("without a hook that holds: 401 if none verified the sender, else 403", async (t) => {
  const { post } = await startFixture(
    t,
    SERVER + event("push", 1, VERIFY) + event("ping", 2, VERIFY),
  );
  const signed = { "x-hub-signature-256": sign("{}") };
  const statusOf = async (headers: Record<string, string>) =>
    (await post("github", "{}", headers)).status;
  t.is(await statusOf({ "x-event": "push" }), 401);
  t.is(await statusOf({ "x-event": "star", ...signed }), 403);
  t.is(await statusOf({ "x-event": "ping", ...signed }), 200);
});

for (const [title, first, second, expected] of [
  ["no condition", "priority = 1", "priority = 2\nwhen = true", /has the same path and method/],
  ["no priority", "when = true\npriority = 1", "when = true", /this hook has no `priority`/],
  ["one priority", "when = true\npriority = 1", "when = true\npriority = 1", /and `priority`/],
] as const) {
  test(`two hooks of one path and method with ${title} are refused`, async (t) => {
    const fixture = await startFixture(t, SERVER);
    const at = (name: string, body: string) => hook(name, `path = "/p"\nrun = ["true"]\n${body}`);
    const messages = await fixture.edit(SERVER + at("a", first) + at("b", second));
    t.true(
      messages.some((message) => expected.test(message)),
      messages.join("\n"),
    );
  });
}

type Rival = Parameters<typeof rivalsOf>[0];

test("whatever the priorities, rivals are the hooks with a method in common, in order", (t) => {
  const values = fc.record({
    priority: fc.nat(20),
    methods: fc.uniqueArray(fc.constantFrom("GET", "POST", "PUT"), { minLength: 1 }),
    path: fc.constantFrom("a", "x/:one", "x/:two"),
  });
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 8 }), (all) => {
      const hooks = all.map(
        (each, index) => ({ label: `h${index}`, values: each }) as unknown as Rival,
      );
      for (const one of hooks) {
        const rivals = rivalsOf(one, hooks);
        const ranks = rivals.map(({ values: { priority = 0 } }) => priority);
        t.deepEqual(
          ranks,
          ranks.toSorted((a, b) => a - b),
        );
        for (const other of hooks) {
          const meets =
            pathOf(one).charAt(0) === pathOf(other).charAt(0) &&
            one.values.methods.some((method) => other.values.methods.includes(method));
          t.is(rivals.includes(other), meets);
        }
      }
    }),
    { numRuns: 200 },
  );
});
