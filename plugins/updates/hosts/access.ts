/** Identifies tokens and checks permissions. Answers of remote hosts are cached for a minute. */
import type { Clock } from "reeve/plugin";
import type { HostRepoRef } from "../model.js";
import { tokenDigest } from "../store/accounts.js";
import { type Caller, type CodeHost, mayAtLeast, type Permission } from "./contract.js";

/** Milliseconds that a cached answer is valid. */
const holds = 60_000;
const mostKept = 10_000;

interface Kept<Value> {
  readonly value: Value;
  readonly at: number;
}

export class Access {
  readonly #clock: Clock;
  /** By digest; tokens are not stored. */
  readonly #callers = new Map<string, Kept<string>>();
  readonly #permissions = new Map<string, Kept<Permission>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `undefined` if the host does not accept the token. */
  async caller(host: CodeHost, token: string): Promise<Caller | undefined> {
    if (host.kind === "embedded") return host.identify(token);
    const key = tokenDigest(token);
    const known = this.#fresh(this.#callers, key);
    if (known !== undefined) return { login: known, token };
    const caller = await host.identify(token);
    if (caller) this.#keep(this.#callers, key, caller.login);
    return caller;
  }

  /** Whether the caller has the permission. A cached refusal is checked again. */
  async may(
    host: CodeHost,
    caller: Caller,
    repo: HostRepoRef,
    wanted: Permission,
  ): Promise<boolean> {
    if (host.kind === "embedded") return mayAtLeast(await host.permission(caller, repo), wanted);
    const key = `${tokenDigest(caller.token)} ${repo.hostId}`;
    const known = this.#fresh(this.#permissions, key);
    if (known !== undefined && mayAtLeast(known, wanted)) return true;
    const held = await host.permission(caller, repo);
    this.#keep(this.#permissions, key, held);
    return mayAtLeast(held, wanted);
  }

  #fresh<Value>(kept: Map<string, Kept<Value>>, key: string): Value | undefined {
    const found = kept.get(key);
    return found && this.#clock.now() - found.at < holds ? found.value : undefined;
  }

  #keep<Value>(kept: Map<string, Kept<Value>>, key: string, value: Value): void {
    if (kept.size >= mostKept) kept.clear();
    kept.set(key, { value, at: this.#clock.now() });
  }
}
