/** What code hosts tell by themselves, whichever says it. */

export type HostEvent =
  /** A branch has moved. `paths`: what the commits touched, where the host says. */
  | {
      readonly kind: "pushed";
      readonly repo: number;
      readonly branch: string;
      readonly paths: readonly string[];
    }
  /** A pull request was closed, merged, labelled, reviewed: whatever may matter to it. */
  | { readonly kind: "pull"; readonly repo: number; readonly number: number }
  /** A check of a commit has begun or is over. */
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
  /** On the host. */
  readonly id: number;
}
