/**
 * One pipe for both outputs of a command, so that they arrive in the order in which they were written. Node has no call
 * that makes a pipe, but a connection to a socket of one's own is one.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Bytes that the address of a socket has room for, on every system. */
const longestPath = 100;

export interface MergedPipe {
  readonly reader: Socket;
  /** To be handed to the child and then destroyed here. */
  readonly writer: Socket;
}

/** Makes pipes, one after the other, in a directory that only this user may enter. */
export class PipeMaker {
  readonly #temporary: string;
  #listening: Promise<{ server: Server; path: string }> | undefined;
  #directory: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** `temporary` is a private directory that is emptied when the daemon starts. */
  constructor(temporary: string) {
    this.#temporary = temporary;
  }

  make(): Promise<MergedPipe> {
    const made = this.#last.then(() => this.#make());
    this.#last = made.catch(() => undefined);
    return made;
  }

  async close(): Promise<void> {
    await this.#last;
    const listening = await this.#listening?.catch(() => undefined);
    if (listening) await new Promise((resolve) => listening.server.close(resolve));
    if (this.#directory !== undefined) rmSync(this.#directory, { recursive: true, force: true });
  }

  async #make(): Promise<MergedPipe> {
    this.#listening ??= this.#listen().catch((thrown: unknown) => {
      this.#listening = undefined;
      throw thrown;
    });
    const { server, path } = await this.#listening;
    return new Promise((resolve, reject) => {
      const writer = connect(path);
      const failed = (error: Error): void => {
        server.removeListener("connection", accepted);
        reject(error);
      };
      let reader: Socket | undefined;
      const accepted = (socket: Socket): void => {
        reader = socket;
        done();
      };
      const done = (): void => {
        if (!reader || writer.connecting) return;
        writer.removeListener("error", failed).removeListener("close", unheard);
        resolve({ reader, writer });
      };
      // A connection that cannot be accepted is closed silently.
      const unheard = (): void => failed(Object.assign(new Error(), { code: "EMFILE" }));
      writer.once("error", failed).once("close", unheard).once("connect", done);
      server.once("connection", accepted);
    });
  }

  #listen(): Promise<{ server: Server; path: string }> {
    const path = this.#path();
    const server = createServer({ allowHalfOpen: false });
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(path, () => {
        server.unref();
        resolve({ server, path });
      });
    });
  }

  #path(): string {
    const path = join(this.#temporary, "output.sock");
    if (Buffer.byteLength(path) <= longestPath) return path;
    this.#directory ??= mkdtempSync(join(tmpdir(), "reeve-"));
    return join(this.#directory, "output.sock");
  }
}
