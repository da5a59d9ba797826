/** What has ended goes to the database together with the wish for more, one question at a time: the rest gathers meanwhile. */
import type { Claims, LeaseToken } from "../jobs/queue-store.js";
import { isUnreachable } from "./failure.js";

/** What is looked at when the question goes out, and not when it is thought of. */
export interface ClaimRequest {
  readonly room: () => number;
  readonly lease: number;
  readonly isOver: () => boolean;
}

export type Send = (
  ended: readonly LeaseToken[],
  claim: ClaimRequest | undefined,
) => Promise<Claims>;

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: unknown) => void;
}

/** Jobs that end together at most. */
const most = 500;

export class ClaimBatcher {
  readonly #send: Send;
  #ended: Array<Waiting<void> & { readonly held: LeaseToken }> = [];
  #claims: Array<Waiting<Claims> & { readonly claim: ClaimRequest }> = [];
  #isBusy = false;

  constructor(send: Send) {
    this.#send = send;
  }

  end(held: LeaseToken): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#ended.push({ held, resolve, reject });
      this.#soon();
    });
  }

  claim(claim: ClaimRequest): Promise<Claims> {
    return new Promise((resolve, reject) => {
      this.#claims.push({ claim, resolve, reject });
      this.#soon();
    });
  }

  /** What comes within the same turn goes along. */
  #soon(): void {
    if (this.#isBusy || this.#ended.length + this.#claims.length === 0) return;
    this.#isBusy = true;
    setImmediate(() => void this.#ask());
  }

  async #ask(): Promise<void> {
    const ended = this.#ended.splice(0, most);
    const request = this.#claims.shift();
    const held = ended.map((each) => each.held);
    try {
      const claims = await this.#send(held, request?.claim);
      for (const { resolve } of ended) resolve();
      request?.resolve(claims);
    } catch (thrown) {
      request?.reject(thrown);
      // What went wrong with the claim must not keep what has ended from being told.
      const isClaim = request !== undefined && ended.length > 0 && !isUnreachable(thrown);
      const notification = isClaim ? this.#send(held, undefined) : Promise.reject(thrown);
      await notification.then(
        () => {
          for (const { resolve } of ended) resolve();
        },
        (reason: unknown) => {
          for (const { reject } of ended) reject(reason);
        },
      );
    }
    this.#isBusy = false;
    this.#soon();
  }
}
