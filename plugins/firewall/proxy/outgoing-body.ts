/** The body of a request on its way to the origin, where it is limited or searched. */
import { Transform, type TransformCallback } from "node:stream";
import type { Verdict } from "../policy/policy.js";
import type { ProxyContext } from "./context.js";
import type { RequestDecision } from "./request-decision.js";
import type { ByteMeter } from "./request-limiter.js";
import { type SecretScanner, secretRefusal } from "./secret-scanner.js";

/** Undefined if nothing limits or searches it. */
export function outgoingBody(
  { secrets }: ProxyContext,
  { meter }: Extract<RequestDecision, { kind: "go" }>,
): OutgoingBody | undefined {
  return meter || secrets ? new OutgoingBody(meter, secrets) : undefined;
}

/** Ends with an error at the first byte that must not leave; `refusal` says why. */
export class OutgoingBody extends Transform {
  readonly #meter: ByteMeter | undefined;
  readonly #secrets: SecretScanner | undefined;
  /** The last bytes, which may be the start of a secret. */
  #held: Buffer = Buffer.alloc(0);
  refusal: Verdict | undefined;

  constructor(meter: ByteMeter | undefined, secrets: SecretScanner | undefined) {
    super();
    this.#meter = meter;
    this.#secrets = secrets;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.refusal =
      this.#meter?.add(chunk.length) ?? secretRefusal(this.#secrets?.find(all.toString("latin1")));
    const sent = this.#secrets ? Math.max(0, all.length - this.#secrets.overlap) : all.length;
    this.#held = all.subarray(sent);
    if (this.refusal) done(new Error(this.refusal.reason));
    else done(null, all.subarray(0, sent));
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#held);
  }
}
