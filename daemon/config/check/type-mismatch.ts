/** A value that its type rejects: data on a zod issue, turned into a diagnostic once its location is known. */
import * as z from "zod";

export interface TypeMismatch {
  readonly code: string;
  /** The message after the attribute's name: "must be a duration, not the string `"30s"`". */
  readonly complaint: string;
  /** Text beside the caret; absent: the replacement. */
  readonly label?: string | undefined;
  /** Set if the name is invalid, not the value. */
  readonly about?: "name";
  readonly help?: string | undefined;
  /** The replacement, if it is unambiguous. */
  readonly replacement?: string | undefined;
}

/** The part of zod's context that validators use. */
interface Payload {
  readonly issues: unknown[];
}

/** Adds the mismatch to the payload; zod ignores the result. */
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

/** The mismatch of an issue that one of our validators created. */
export function mismatchOf(issue: z.core.$ZodIssue): TypeMismatch | undefined {
  const params =
    "params" in issue ? (issue.params as Readonly<Record<string, unknown>>) : undefined;
  return params?.mismatch as TypeMismatch | undefined;
}
