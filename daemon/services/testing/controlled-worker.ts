/** A worker under the eyes of a test. */
import type { Job } from "../../plugin-api/state.js";
import { until } from "./services.js";

/** A worker whose jobs end when the test says so. */
export class Bench {
  readonly jobs: Array<Job<string>> = [];
  readonly #ends = new Map<string, (thrown?: Error) => void>();
  mostAtOnce = 0;

  readonly work = (job: Job<string>): Promise<void> =>
    new Promise((resolve, reject) => {
      this.jobs.push(job);
      this.#ends.set(job.payload, (thrown) => (thrown ? reject(thrown) : resolve()));
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#ends.size);
    });

  get names(): string {
    return this.jobs.map(({ payload }) => payload).join(" ");
  }

  async whenStarted(count: number): Promise<void> {
    await until(() => this.jobs.length >= count);
  }

  end(payload: string, thrown?: Error): void {
    this.#ends.get(payload)?.(thrown);
    this.#ends.delete(payload);
  }
}
