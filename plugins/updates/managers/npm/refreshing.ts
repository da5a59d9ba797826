/** What refreshing a lock file is given and gives, whichever program's it is. */
import type {
  Declaration,
  Files,
  LockOutcome,
  RepositoryPath,
  Tools,
  UpdateRequest,
} from "../contract.js";

/** A lock file refreshed, or why it is not. */
export interface Refreshed {
  readonly files: Files;
  readonly lock: LockOutcome;
}

export interface LockRefresh {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  readonly file: RepositoryPath;
  /** The repository's files with the edited manifests. */
  readonly files: Files;
  /** The same with exact versions in the place of the new requirements. */
  readonly pinned: Files;
}

/** `npm:other@^1.2.0` where the declaration is an alias. */
export const asWritten = ({ extra }: Declaration, name: string, requirement: string): string =>
  extra?.declaredAs === undefined || extra.declaredAs === name
    ? requirement
    : `npm:${name}@${requirement}`;
