/** Sends requests and keeps their answers. */
import { within } from "../support/eventually.js";
import type { SentRequest } from "./evidence.js";
import type { Machine } from "./machine.js";
import type { Burst, PlannedRequest } from "./steps.js";

/** Milliseconds. A daemon that is killed answers nothing. */
const PATIENCE = 20_000;

/** What holds for all requests of a burst. `gate`: what held commands wait for. */
interface Moment extends Pick<SentRequest, "stop" | "clock"> {
  readonly gate: number;
}

export class Sender {
  readonly sent: SentRequest[] = [];
  readonly #machine: Pick<Machine, "send">;
  #rank = 0;

  constructor(machine: Pick<Machine, "send">) {
    this.#machine = machine;
  }

  /** Resolves when every request has its answer, or will have none. */
  async send({ hook, together, requests }: Burst, moment: Moment): Promise<void> {
    if (together) {
      this.#rank += 1;
      await Promise.all(requests.map((request) => this.#request(hook, request, moment)));
      return;
    }
    for (const request of requests) {
      this.#rank += 1;
      await this.#request(hook, request, moment);
    }
  }

  async #request(
    hook: Burst["hook"],
    request: PlannedRequest,
    { stop, clock, gate }: Moment,
  ): Promise<void> {
    const sent: SentRequest = { ...request, hook, rank: this.#rank, stop, clock };
    this.sent.push(sent);
    const { number, key, fails, isHeld } = request;
    const query = new URLSearchParams({
      ...{ number: String(number), key, fails: String(fails), gate: String(isHeld ? gate : 0) },
    });
    const sending = this.#machine.send(`/hooks/${hook}?${query}`);
    const answer = await within("an answer", sending, PATIENCE).catch(() => undefined);
    if (answer === undefined) return;
    sent.status = answer.status;
    const run = answer.headers["reeve-run"];
    if (typeof run === "string") sent.run = run;
  }
}
