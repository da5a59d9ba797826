/** Errors of the API in the envelope that its clients know. */
import { STATUS_CODES } from "node:http";

export interface ErrorObject {
  readonly status: number;
  readonly title: string;
  readonly detail?: string;
  readonly code?: string;
  readonly source?: { readonly pointer?: string; readonly parameter?: string };
  readonly meta?: Readonly<Record<string, unknown>>;
}

export type ErrorMore = Omit<ErrorObject, "status" | "title" | "detail">;

export const errorObject = (
  status: number,
  detail?: string,
  more: ErrorMore = {},
): ErrorObject => ({
  status,
  title: STATUS_CODES[status] ?? "Error",
  ...(detail === undefined ? {} : { detail }),
  ...more,
});

/** The request cannot be answered as sent. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly errors: readonly ErrorObject[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    errors: string | readonly ErrorObject[],
    more: ErrorMore & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    const { headers = {}, ...rest } = more;
    const list = typeof errors === "string" ? [errorObject(status, errors, rest)] : errors;
    super(list[0]?.detail ?? STATUS_CODES[status]);
    this.status = status;
    this.errors = list;
    this.headers = headers;
  }
}

export const notFound = (what: string): ApiError =>
  new ApiError(404, `${what} not found.`, { code: "not_found" });
