/** Events of code hosts, common to all kinds. */

export type HostEvent =
  /** New commits on a branch. `paths`: the changed files, if the host lists them. */
  | {
      readonly kind: "pushed";
      readonly repo: number;
      readonly branch: string;
      readonly paths: readonly string[];
    }
  /** A pull request was closed, merged, labelled or reviewed. */
  | { readonly kind: "pull"; readonly repo: number; readonly number: number }
  /** A check of a commit started or finished. */
  | { readonly kind: "checked"; readonly repo: number; readonly commit: string }
  | {
      readonly kind: "commented";
      readonly repo: number;
      readonly number: number;
      readonly author: Commenter;
      readonly text: string;
    };

export interface Commenter {
  readonly login: string;
  /** The id on the host. */
  readonly id: number;
}
