/** Configuration from a git repository: what others know of it. Types and refusals only. */
/** What `reeve up git+URL` and its options say. Paths are absolute, times milliseconds. */
export interface SourceSettings {
  /** `https:`, `ssh:`, `http:`, `file:` or `USER@HOST:PATH`; without a password. */
  readonly url: string;
  readonly branch: string;
  /** The directory of `main.reeve` in the repository; "" for its root. */
  readonly path: string;
  readonly history: "forward" | "any";
  readonly poll: number;
  /** A commit that the first applied commit descends from. */
  readonly anchor?: string | undefined;
  /** Allowed signers, as ssh-keygen(1) describes the file. Absent: signatures are not checked. */
  readonly signers?: string | undefined;
  /** Revoked keys, as ssh-keygen(1) describes the file. */
  readonly revoked?: string | undefined;
  readonly user?: string | undefined;
  /** A file with a token or password; read anew at each request. */
  readonly tokenFile?: string | undefined;
  readonly sshKey?: string | undefined;
  readonly knownHosts?: string | undefined;
  /** Where commits are written. @default `source` in the state directory */
  readonly directory?: string | undefined;
}

/** A source at a moment. Times are milliseconds since the epoch. */
export interface SourceStatus {
  readonly url: string;
  readonly branch: string;
  readonly path: string;
  /** The commit that runs, and since when; absent while none is on disk. */
  readonly commit?: string | undefined;
  readonly appliedAt?: number | undefined;
  /** When the repository answered last. */
  readonly contactAt?: number | undefined;
  /** Why the repository did not answer, and how often in a row. */
  readonly failure?:
    | { readonly code: SourceCode; readonly reason: string; readonly polls: number }
    | undefined;
  /** The newest commit of the branch, if it is not applied. */
  readonly refused?:
    | {
        readonly commit: string;
        readonly code: SourceCode;
        readonly reason: string;
        readonly at: number;
      }
    | undefined;
  readonly pausedUntil?: number | undefined;
}

/** What a user does about a source. */
export interface SourceActions {
  status(): SourceStatus;
  /** Asks the repository now. */
  poll(): Promise<void>;
  /** Judges a refused commit again. */
  retry(): Promise<void>;
  /** For some milliseconds: no polls, and changes by hand stay. */
  pause(duration: number): Promise<void>;
  resume(): Promise<void>;
  /**
   * Applies the newest commit of a branch that was rewritten; its signature is verified all the same.
   * @throws ReeveError `not_the_newest` where the branch has another newest commit
   */
  accept(commit: string): Promise<void>;
}

export type SourceCode =
  | "unreachable"
  | "denied"
  | "no_branch"
  | "no_path"
  | "rewritten"
  | "unsigned"
  | "dated_back"
  | "submodule"
  | "lfs"
  | "outside"
  | "bad_name"
  | "too_large"
  | "invalid"
  | "rejected"
  | "rolled_back";

/** Why a commit is not applied, or a repository not read. */
export class SourceRefusal extends Error {
  readonly code: SourceCode;

  constructor(code: SourceCode, message: string) {
    super(message);
    this.code = code;
  }
}
