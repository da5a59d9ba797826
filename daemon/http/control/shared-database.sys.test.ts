/** What the status says of a database that daemons share. */
import test from "ava";
import { type Described, deviations } from "../testing/described.js";
import { openControl } from "../testing/open-control.js";
import { type ControlFixture, scene } from "../testing/subjects.js";

const daemon = "host-a-0c0ffee0";
const rows: ReadonlyArray<
  readonly [title: string, given: ControlFixture["database"], says: object]
> = [
  ["nothing where nothing is shared", undefined, { state: "running", database: undefined }],
  ["what others call this daemon", { daemon }, { state: "running", database: { daemon } }],
  [
    "that a database which is away degrades the daemon",
    { daemon, away: { reason: "It is gone.", since: 990_000 } },
    {
      state: "degraded",
      degraded: { reason: "It is gone." },
      database: { away: { since: 990_000 } },
    },
  ],
];
for (const [title, given, says] of rows)
  test(`the status says ${title}`, async (t) => {
    const stage = scene();
    stage.database = given;
    const { get } = await openControl(t, stage);
    const answer = await get("/v1/status");
    const document = JSON.parse((await get("/v1/openapi.json")).body) as Described;
    t.deepEqual(deviations(document, "GET /v1/status", answer), []);
    t.like(JSON.parse(answer.body), says);
    t.is((await get("/readyz")).status, 200, "hooks and sandboxes go on");
  });
