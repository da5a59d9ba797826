/** Steady traffic to hooks that are not edited, with its results. */
import { Agent, request } from "node:http";

export interface Traffic {
  /** Requests that were answered as they should be. */
  readonly answered: number;
  /** Refused or dropped connections, and answers with another status, with what they were. */
  readonly failed: readonly string[];
}

/** The status of one request; rejects where there is no answer. */
export function post(agent: Agent, url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    };
    const outgoing = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode ?? 0));
      response.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** Sends `perSecond` requests a second, evenly, until `stop` is called. `next` makes each one. */
export function steady(
  perSecond: number,
  next: (count: number) => { readonly url: string; readonly body: string; readonly status: number },
): { stop(): Promise<Traffic> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const open = new Set<Promise<void>>();
  const failed: string[] = [];
  let [count, answered] = [0, 0];
  const send = async (): Promise<void> => {
    const { url, body, status } = next(count++);
    try {
      const got = await post(agent, url, body);
      if (got === status) answered += 1;
      else failed.push(`${got} instead of ${status} from ${url}`);
    } catch (thrown) {
      failed.push(`${String(thrown)} from ${url}`);
    }
  };
  const timer = setInterval(() => {
    const sent: Promise<void> = send().finally(() => open.delete(sent));
    open.add(sent);
  }, 1000 / perSecond);
  return {
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
      return { answered, failed };
    },
  };
}
