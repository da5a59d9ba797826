/** Errors of the API in the envelope that its clients know. */

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  408: "Request Timeout",
  409: "Conflict",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

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
  title: TITLES[status] ?? "Error",
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
    super(list[0]?.detail ?? TITLES[status]);
    this.status = status;
    this.errors = list;
    this.headers = headers;
  }
}

export const notFound = (what: string): ApiError =>
  new ApiError(404, `${what} not found.`, { code: "not_found" });
