/** The right to work on a job. Another daemon may take it over. */
export interface JobLease {
  /** Aborted when the lease is lost. */
  readonly signal: AbortSignal;
  /** Confirms the lease before an external effect. A paused or disconnected daemon learns of the loss only here. Rejects if it is lost. */
  hold(): Promise<void>;
}
