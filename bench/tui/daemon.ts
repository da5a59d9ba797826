/**
 * The part of a daemon that a dashboard costs: real events through a real stream, and answers that are always the same.
 * Run as a child: `daemon.js SOCKET EVENTS_A_SECOND`.
 */
import { createServer, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { generation, runSummary, snapshot, status } from "../../cli/testing/samples.js";
import { model } from "../../cli/tui/testing/model.js";
import { EventStream } from "../../daemon/http/control/event-stream.js";
import type { Log } from "../../daemon/plugin-api/context.js";
import { realClock } from "../../daemon/services/clock.js";
import { EventRing } from "../../daemon/services/events.js";
import { Mask } from "../../daemon/services/mask.js";

const [, , socket = "", perSecond = "0"] = process.argv;
const nothing = (): void => undefined;
const log: Log = {
  ...{ debug: nothing, info: nothing, warn: nothing, error: nothing },
  child: () => log,
};
const events = new EventRing(realClock, log, new Mask());
const { boot, runs } = snapshot;

const answers: Readonly<Record<string, () => object>> = {
  "/v1/status": () => ({ ...status, now: Date.now() }),
  "/v1/runs": () => ({ runs: [runSummary] }),
  "/v1/panels": () => ({ plugins: model.panels }),
  "/v1/generations": () => ({ generations: [generation] }),
};

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://reeve");
  if (url.pathname === "/v1/events") stream(url, response);
  else response.end(JSON.stringify(answers[url.pathname]?.() ?? {}));
});

function stream({ searchParams }: URL, response: ServerResponse): void {
  const number = (name: string) => {
    const text = searchParams.get(name);
    return text === null ? {} : { [name]: Number(text) };
  };
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  response.flushHeaders();
  const one = new EventStream(
    {
      kit: { events, clock: realClock, log },
      boot,
      snapshot: async () => ({ status: { ...status, now: Date.now() }, runs }),
    },
    { write: (text) => response.write(text), end: () => void response.end() },
    { ...number("since"), ...number("most") },
  );
  response.on("drain", () => one.drained());
  response.on("close", () => one.close());
}

/** In lots of a hundredth of a second. `at=` is the moment, so that a screen tells how old it is. */
async function happen(rate: number): Promise<void> {
  const { emit } = events.scoped("hooks");
  const began = performance.now();
  for (let emitted = 0; ; ) {
    const due = Math.floor(((performance.now() - began) * rate) / 1000);
    for (; emitted < due; emitted += 1) {
      emit("hook.finished", { hook: "deploy", at: Date.now(), state: "succeeded", duration: 12 });
    }
    await delay(10);
  }
}

server.listen(socket, () => process.send?.("listening"));
void happen(Number(perSecond));
