/** Whether we may still do what a job is about: of several daemons another one may have taken it over. */
export interface JobLease {
  /** Aborted when it is heard that we may not. */
  readonly signal: AbortSignal;
  /** Asked right before what is seen from outside: whoever was stopped or cut off has heard nothing. Rejects where we may not. */
  hold(): Promise<void>;
}
