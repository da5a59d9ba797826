/**
 * Inputs of the pipeline, requested by name and provided by `load.ts`. The pipeline runs again until no input is
 * missing.
 */
import type { Value } from "./values/value.js";

export type InputRequest =
  /** A source or the target of `file(…)`; an absolute path. */
  | { readonly kind: "file"; readonly path: string; readonly within: readonly string[] | undefined }
  /** The files that match an import pattern; an absolute pattern. */
  | {
      readonly kind: "glob";
      readonly pattern: string;
      readonly within: readonly string[] | undefined;
    }
  | { readonly kind: "environment"; readonly name: string }
  /** A function that a plugin adds to the language. `key` identifies the call. */
  | {
      readonly kind: "call";
      readonly plugin: string;
      readonly name: string;
      readonly arguments: readonly unknown[];
      readonly key: string;
    };

export type InputValue =
  | { readonly kind: "file"; readonly text: string; readonly hash: string }
  | { readonly kind: "no_file"; readonly why: FileFault; readonly detail?: string }
  | { readonly kind: "glob"; readonly paths: readonly string[]; readonly hash: string }
  | {
      readonly kind: "environment";
      readonly value: string | undefined;
      readonly hash: string | undefined;
    }
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "refused"; readonly message: string };

export type FileFault = "absent" | "outside" | "not_text" | "too_large" | "unreadable";

/** Two needs with the same key have the same answer. */
export function needKey(need: InputRequest): string {
  switch (need.kind) {
    case "file":
      return `file ${need.path} within ${need.within?.join(":") ?? "anything"}`;
    case "glob":
      return `glob ${need.pattern} within ${need.within?.join(":") ?? "anything"}`;
    case "environment":
      return `environment ${need.name}`;
    case "call":
      return `call ${need.plugin} ${need.name} ${need.key}`;
  }
}

/** Available inputs, and a list of the missing ones. */
export class Inputs {
  readonly #answers: ReadonlyMap<string, InputValue>;
  readonly #wanting = new Map<string, InputRequest>();
  readonly #used = new Map<string, readonly [InputRequest, InputValue]>();

  constructor(answers: ReadonlyMap<string, InputValue>) {
    this.#answers = answers;
  }

  /** The answer, or `undefined` after noting the need. */
  ask(need: InputRequest): InputValue | undefined {
    const key = needKey(need);
    const answer = this.#answers.get(key);
    if (answer === undefined) this.#wanting.set(key, need);
    else this.#used.set(key, [need, answer]);
    return answer;
  }

  get wanting(): readonly InputRequest[] {
    return [...this.#wanting.values()];
  }

  /** All dependencies of the result, in the order of the requests. */
  get used(): ReadonlyArray<readonly [InputRequest, InputValue]> {
    return [...this.#used.values()];
  }
}
