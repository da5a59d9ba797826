/** Requests by a socket of the file system. */
import { request } from "node:http";

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape.
export type Ask = (method: string, path: string, body?: unknown) => Promise<any>;

export function asker(socketPath: string): Ask {
  return async (method, path, body) => {
    const text = await textOf(socketPath, method, path, body);
    return text === "" ? undefined : JSON.parse(text);
  };
}

/** The body of an answer. @throws Error with the body of one that is no yes */
export function textOf(
  socketPath: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    const sent = request({ socketPath, method, path, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("error", reject).on("end", () => {
        if ((response.statusCode ?? 500) >= 300) reject(new Error(text));
        else resolve(text);
      });
    });
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
