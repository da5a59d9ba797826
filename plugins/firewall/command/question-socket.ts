/** How `awf ask` in another terminal reaches the questions of a run: a socket that no command sees. */
import { readdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemCode } from "../errors.js";
import type { QuestionSummary } from "../proxy/question-board.js";

export interface QuestionRequest {
  /** Absent: list the questions. */
  readonly answer?: { readonly id: string; readonly text: string };
}

export interface QuestionReply {
  readonly questions: readonly QuestionSummary[];
  /** Why the answer was refused; absent if it was not. */
  readonly problem?: { readonly code: string; readonly message: string };
}

const longestRequest = 4096;
const socketName = /^ask-\d+\.sock$/;

/** Serves the questions of this process. Undefined where no socket can be made. */
export async function serveQuestions(
  directory: string,
  reply: (request: QuestionRequest) => Promise<QuestionReply>,
): Promise<AsyncDisposable | undefined> {
  const path = join(directory, `ask-${process.pid}.sock`);
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (client) => {
    let request = "";
    client.on("error", () => client.destroy());
    client.setEncoding("utf8").on("data", (more: string) => {
      request += more;
      if (request.length > longestRequest) client.destroy();
    });
    client.on("end", () => {
      void Promise.resolve()
        .then(() => reply(JSON.parse(request) as QuestionRequest))
        .then(
          (answer) => client.end(JSON.stringify(answer)),
          () => client.destroy(),
        );
    });
  });
  if (!(await isListening(server, path))) return undefined;
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Only the user may answer. */
function isListening(server: Server, path: string): Promise<boolean> {
  const mask = process.umask(0o177);
  return new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(path, () => resolve(true));
  }).finally(() => process.umask(mask));
}

/** The replies of all runs of the user; a run that was killed leaves its socket. */
export async function askRuns(
  directory: string,
  request: QuestionRequest,
): Promise<QuestionReply[]> {
  const replies: QuestionReply[] = [];
  for (const name of namesIn(directory)) {
    const path = join(directory, name);
    try {
      const client = connect(path);
      client.end(JSON.stringify(request));
      replies.push(JSON.parse(await text(client)) as QuestionReply);
    } catch (thrown) {
      if (systemCode(thrown) === "ECONNREFUSED") rmSync(path, { force: true });
    }
  }
  return replies;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => socketName.test(name));
  } catch {
    return [];
  }
}
