/** A value that its type does not accept: data on a zod issue, made into a diagnostic where its place is known. */
import * as z from "zod";

export interface TypeMismatch {
  readonly code: string;
  /** The sentence behind the attribute's name: "must be a duration, not the string `"30s"`". */
  readonly complaint: string;
  /** Beside the caret; absent: what to write instead. */
  readonly label?: string | undefined;
  /** Set where not the value is wrong but the name it is given under. */
  readonly about?: "name";
  readonly help?: string | undefined;
  /** What to write instead, where that is certain. */
  readonly replacement?: string | undefined;
}

/** The part of zod's context that validators use. */
interface Payload {
  readonly issues: unknown[];
}

/** Notes the mismatch; the result is never looked at. */
export function addMismatch(
  payload: Payload,
  mismatch: TypeMismatch,
  path: ReadonlyArray<string | number> = [],
): never {
  payload.issues.push({
    code: "custom",
    message: mismatch.complaint,
    input: undefined,
    path,
    params: { mismatch },
  });
  return z.NEVER;
}

/** The mismatch on an issue, where one of our validators made it. */
export function mismatchOf(issue: z.core.$ZodIssue): TypeMismatch | undefined {
  const params =
    "params" in issue ? (issue.params as Readonly<Record<string, unknown>>) : undefined;
  return params?.mismatch as TypeMismatch | undefined;
}
