/** Limits the open pull requests of a config. */
import type { AccountSettings } from "../../blocks/settings.js";
import type { ConfigExtras } from "../../store/configs.js";
import type { Config } from "../../store/tables.js";
import type { OpenPull } from "./open-pulls.js";
import type { Proposal } from "./proposals.js";

/** Security fixes have their own limit. */
const securityLimit = 10;
const initialLimit = 5;

export class PullLimits {
  readonly #version: number;
  #open: number;
  #openSecurity: number;
  /** Remaining in the first run; infinite in later runs. */
  #initial: number;

  constructor(
    config: Config,
    extras: ConfigExtras,
    account: AccountSettings,
    open: readonly OpenPull[],
  ) {
    const own = extras.openPullRequestsLimit;
    this.#version = own ?? (account.limitOpen ? account.openLimit : Number.POSITIVE_INFINITY);
    this.#openSecurity = open.filter(({ pull }) => pull.security === 1).length;
    this.#open = open.length - this.#openSecurity;
    const isFirst = config.last_run_at === null && account.limitInitial;
    this.#initial = isFirst ? initialLimit : Number.POSITIVE_INFINITY;
  }

  /** Why a new pull request has to wait; `undefined` if it may open. */
  refusal({ security }: Proposal): { readonly reason: string; readonly why: string } | undefined {
    if (this.#initial <= 0) {
      const why = `The first run of a config opens ${initialLimit} pull requests; the next one goes on.`;
      return { reason: "initial_limit", why };
    }
    const [open, limit] = security
      ? [this.#openSecurity, securityLimit]
      : [this.#open, this.#version];
    if (open < limit) return undefined;
    const why = `${open} pull requests are open, and ${limit} is the limit; merge or close one.`;
    return { reason: "open_limit", why };
  }

  opened({ security }: Proposal): void {
    this.#initial -= 1;
    if (security) this.#openSecurity += 1;
    else this.#open += 1;
  }
}
