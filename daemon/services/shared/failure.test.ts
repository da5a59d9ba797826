/** What PostgreSQL's and the network's errors mean. */
import test from "ava";
import { ReeveError } from "../../errors.js";
import { isUnreachable, sharedFailure } from "./failure.js";

const coded = (code: string, more: object = {}): Error =>
  Object.assign(new Error("password=hunter22"), { code, ...more });

const failures: ReadonlyArray<
  readonly [title: string, thrown: Error, code: string, message: string]
> = [
  [
    "no server",
    coded("ECONNREFUSED", { address: "192.0.2.1", port: 5432 }),
    "store_away",
    "The database cannot be reached: no server listens at 192.0.2.1:5432.",
  ],
  [
    "no server at any address",
    Object.assign(new AggregateError([coded("ECONNREFUSED", { address: "::1", port: 1 })]), {}),
    "store_away",
    "The database cannot be reached: no server listens at ::1:1.",
  ],
  [
    "no socket",
    coded("ENOENT", { address: "/run/x.sock" }),
    "store_away",
    "The database cannot be reached: there is no socket /run/x.sock.",
  ],
  [
    "an unknown host",
    coded("ENOTFOUND", { hostname: "db.example" }),
    "store_away",
    "The database cannot be reached: no host is known as db.example.",
  ],
  [
    "a resolver that is away",
    coded("EAI_AGAIN", { hostname: "db.example" }),
    "store_away",
    "The database cannot be reached: no host is known as db.example.",
  ],
  ["a wrong password", coded("28P01"), "store_refused", "The database refuses the password."],
  ["a wrong user", coded("28000"), "store_refused", "The database refuses the user."],
  [
    "no database",
    coded("3D000"),
    "store_refused",
    "There is no database of the name that the address has.",
  ],
  [
    "too few rights",
    coded("42501"),
    "store_refused",
    "The user may not make tables in the database.",
  ],
  ["a full disk", coded("53100"), "disk_full", "The database has no room left; nothing was kept."],
];
for (const [title, thrown, code, message] of failures)
  test(`${title} is reported as ${code}`, (t) => {
    const failure = sharedFailure(thrown);
    t.true(failure instanceof ReeveError);
    t.like(failure, { code, message, cause: thrown });
    t.is(isUnreachable(thrown), code === "store_away");
    t.is(isUnreachable(failure), code === "store_away");
    t.is(sharedFailure(failure), failure);
  });

for (const [title, thrown, isAway] of [
  ["a server that stops", coded("57P01"), true],
  ["a class of connection errors", coded("08006"), true],
  ["a connection that breaks", new Error("Connection terminated unexpectedly"), true],
  ["a time limit of the driver", new Error("Query read timeout"), true],
  ["one of several errors", new AggregateError([new Error("x"), coded("ETIMEDOUT")]), true],
  ["a unique key", coded("23505"), false],
  [
    "a message about a time limit with another code",
    Object.assign(new Error("timeout"), { code: "57014" }),
    false,
  ],
  ["several other errors", new AggregateError([new Error("x")]), false],
  ["another error", new TypeError("x is not a function"), false],
] as const)
  test(`${title} is ${isAway ? "" : "not "}a database that is away`, (t) => {
    t.is(isUnreachable(thrown), isAway);
    if (!isAway) t.is(sharedFailure(thrown), thrown);
  });
