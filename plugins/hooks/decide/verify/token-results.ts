/** The tokens of a request, once their signatures are verified. */

export type TokenClaims = Readonly<Record<string, unknown>>;

/** Public keys cannot be fetched within an expression, so the server verifies tokens before the decision. */
export interface TokenResults {
  /** The claims of each `verify` block that holds, by the block's values. */
  readonly verified: ReadonlyMap<object, TokenClaims>;
  /** Why the other blocks do not hold; for the operator. */
  readonly problems: readonly string[];
  /** Whether the keys of an issuer were not available. */
  readonly unavailable: boolean;
}
