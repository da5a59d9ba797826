/** A database that cannot be used: what is said of it, and what is waited for. */
import ava from "ava";
import { needs, postgres } from "../../../tests/support/needs.js";
import { CuttableLink } from "../testing/cuttable-link.js";
import { databaseFor } from "../testing/postgres.js";
import { contextOf, kitFor, Lines, until } from "../testing/services.js";

const test = needs(ava, postgres);

const never = new AbortController().signal;
const password = encodeURIComponent("pass:word/?#");

for (const [what, change, message] of [
  [
    "a wrong password",
    (address: string) => address.replace(password, "guess"),
    "The database refuses the password.",
  ],
  [
    "another database",
    (address: string) => address.replace(/test_\w+/, "nowhere"),
    "There is no database of the name that the address has.",
  ],
  ["something else", () => "hello", "The address is not one of a PostgreSQL database."],
  [
    "an address without a database",
    () => "postgres://a:b@localhost/",
    "The address is not one of a PostgreSQL database.",
  ],
] as const) {
  test(`${what} is refused in a sentence that has no password in it`, async (t) => {
    const address = change(await databaseFor(t));
    const kit = await kitFor(t);
    await t.throwsAsync(kit.share({ address, lease: 30_000 }, never), {
      code: "store_refused",
      message,
    });
  });
}

test("a database that is not there is waited for, and the start says so once", async (t) => {
  const way = await CuttableLink.to(t, await databaseFor(t));
  const logStream = new Lines();
  const kit = await kitFor(t, { logStream });
  const { port } = new URL(way.address);
  // No server listens at port 1 of this machine.
  const stop = new AbortController();
  const waiting = kit.share(
    { address: way.address.replace(port, "1"), lease: 30_000 },
    stop.signal,
  );
  const said = () => logStream.all.filter(({ level }) => level === "warn");
  await until(() => said().length > 0);
  t.is(
    said()[0]?.message,
    "The database cannot be reached: no server listens at 127.0.0.1:1. The start waits for it.",
  );
  stop.abort(new Error("The daemon ends."));
  await t.throwsAsync(waiting, { message: "The daemon ends." });
  t.is(said().length, 1);
});

test("while the database is away maps say so at once, and are back with it", async (t) => {
  t.timeout(90_000);
  const way = await CuttableLink.to(t, await databaseFor(t));
  const logStream = new Lines();
  const kit = await kitFor(t, { logStream });
  await kit.share({ address: way.address, lease: 30_000 }, never);
  const map = (await contextOf(kit)).context.store.map("m");
  await map.set("a", 1);
  // A start on a busy machine may have waited for the database, too.
  const before = logStream.all.length;
  way.cut();
  const since = () => logStream.all.slice(before).map(({ message }) => String(message));
  const says = (text: string) => since().some((message) => message.includes(text));
  await until(() => says("The database cannot be reached"));
  await t.throwsAsync(map.get("a"), { code: "store_away" });
  way.mend();
  await until(() => says("The database is back."));
  t.is(await map.get("a"), 1);
  const away = since().filter((message) => message.includes("The database cannot be reached"));
  t.is(away.length, 1, "it is said once");
});

test("events of a plugin with shared tables are heard by the other daemons", async (t) => {
  const address = await databaseFor(t);
  const [one, two] = await Promise.all([kitFor(t), kitFor(t)]);
  for (const kit of [one, two]) await kit.share({ address, lease: 30_000 }, never);
  const received: unknown[] = [];
  two.events.subscribe(({ plugin, type, data }) => received.push([plugin, type, data.number]));
  const { context } = await contextOf(one);
  context.events.emit("sample.told", { number: 1 });
  await context.store.database({});
  await until(async () => {
    context.events.emit("sample.told", { number: 2 });
    return received.length > 0;
  });
  t.deepEqual(received[0], ["sample", "sample.told", 2], "without such tables they are its own");
});
