/** A connection in memory, with the parts of a socket that the proxy uses. */
import type { Socket } from "node:net";
import { Duplex } from "node:stream";

export class MemorySocket extends Duplex {
  readonly remoteAddress: string;
  readonly remotePort = 40_000;
  readonly localAddress = "203.0.113.7";
  bytesRead = 0;
  bytesWritten = 0;
  #peer: MemorySocket | undefined;

  private constructor(remoteAddress: string) {
    super({ allowHalfOpen: true });
    this.remoteAddress = remoteAddress;
    // Errors after the end do not matter.
    this.on("error", () => {});
  }

  static pair(remoteAddress: string): readonly [one: MemorySocket, other: MemorySocket] {
    const [one, other] = [new MemorySocket(remoteAddress), new MemorySocket(remoteAddress)];
    one.#peer = other;
    other.#peer = one;
    return [one, other];
  }

  /** The proxy's end. */
  asSocket(): Socket {
    return this as unknown as Socket;
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once("finish", () => this.destroy());
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: string, done: (error?: Error) => void): void {
    const peer = this.#peer;
    if (!peer || peer.destroyed) {
      done(Object.assign(new Error("EPIPE"), { code: "EPIPE" }));
      return;
    }
    this.bytesWritten += bytes.length;
    peer.bytesRead += bytes.length;
    peer.push(bytes);
    done();
  }

  override _final(done: () => void): void {
    this.#endPeer();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#endPeer();
    done(error);
  }

  #endPeer(): void {
    const peer = this.#peer;
    if (peer && !peer.destroyed && !peer.readableEnded && !peer.#ended) {
      peer.#ended = true;
      peer.push(null);
    }
  }

  #ended = false;
}
