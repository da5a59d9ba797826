/** Server-sent events of updates: whichever daemon is asked tells of all, and knows where a listener was that another one told. */
import { Agent, get } from "node:http";
import ava from "ava";
import pg from "pg";
import { databaseFor } from "../daemon/services/testing/postgres.js";
import { npmRegistry } from "../plugins/updates/testing/npm-registry.js";
import { type Daemon, fill, isIdle, scene, until } from "./several/scene.js";
import { within } from "./support/eventually.js";
import { needs, postgres } from "./support/needs.js";

const test = needs(ava, postgres);

interface SentEvent {
  readonly id: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

test("a listener hears what happens at every daemon, and goes on at another one where it was", async (t) => {
  t.timeout(120_000);
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const address = await databaseFor(t);
  const at = scene(t, {
    lease: "10s",
    updates: (shared) => `  repositories = "${shared}"
  registry "npm_and_yarn" { url = "${registry.url}" }`,
  });
  const one = await at.daemon("one", address);
  const two = await at.daemon("two", address);
  await fill(at, one, ["site"], () => "never");
  await until(() => isIdle(one));
  const { token } = await one.ask("POST", "/v1/updates/tokens", { login: "acme" });
  const agent = new Agent();
  t.teardown(() => agent.destroy());

  /** Listens at a daemon until `isEnough`, after the event with that number. */
  const receive = async (
    { ask }: Daemon,
    isEnough: (events: readonly SentEvent[]) => boolean,
    after?: number,
  ): Promise<readonly SentEvent[]> => {
    const { url } = await ask("GET", "/v1/updates");
    const received = new Promise<readonly SentEvent[]>((resolve, reject) => {
      const headers = {
        authorization: `Personal ${token}`,
        ...(after === undefined ? {} : { "last-event-id": String(after) }),
      };
      const sent = get(`${url}/events`, { headers, agent }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
          const events = eventsIn(text);
          if (!isEnough(events)) return;
          sent.destroy();
          resolve(events);
        });
      });
      sent.on("error", reject);
    });
    return within("events", received);
  };
  for (const daemon of [one, two]) {
    const { url } = await daemon.ask("GET", "/v1/updates");
    const { repos } = await daemon.ask("GET", "/v1/updates/repos");
    t.is(repos[0].url, `${url}/git/acme/site.git`, "each says where it serves a repository itself");
    const path = "/repos?account-id=1&account-type=org&installation-state=active";
    const listed = await fetch(`${url}${path}`, {
      headers: { authorization: `Personal ${token}` },
    });
    const { data } = (await listed.json()) as { data: [{ attributes: Record<string, unknown> }] };
    t.is(data[0].attributes["host-url"], `${url}/git/acme/site.git`);
  }
  const opened = ({ type }: SentEvent): boolean => type === "update.opened";

  const isOver = (events: readonly SentEvent[]): boolean =>
    events.some(({ type, data }) => type === "update.run" && data.config === 1);
  const atTwo = receive(two, (events) => events.some(opened) && isOver(events));
  registry.publish("left-foo", "2.0.3");
  await one.ask("POST", "/v1/updates/notifications", {
    ...{ name: "left-foo", version: "2.0.3", "package-manager": "npm_and_yarn" },
  });
  const first = await atTwo;
  const pull = first.find(opened);
  t.like(pull?.data, { repo: "acme/site", number: 1 });
  t.true(["one", "two"].includes(String(pull?.data.daemon)));

  const [{ id = 0 } = {}] = first;
  const again = await receive(one, isOver, id);
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  t.teardown(() => client.end());
  await client.query("DELETE FROM reeve_plugin_updates.events WHERE id <= $1", [id]);
  const [missed, next] = await receive(two, isOver, 0);
  t.is(missed?.type, "missed", "it is said that there was more");
  t.deepEqual(next, first[1]);
  t.deepEqual(again[0], first[1], "the other one goes on with what this one told next");
});

/** Those that are whole. */
function eventsIn(text: string): readonly SentEvent[] {
  return [...text.matchAll(/(?:id: (\d+)\n)?event: (.*)\ndata: (.*)\n\n/g)].map(
    ([, id = "0", type = "", data = ""]) => ({ id: Number(id), type, data: JSON.parse(data) }),
  );
}
