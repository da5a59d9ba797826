/** What `ServeOptions` come to where they are left out. */
export const HTTP_DEFAULTS = {
  prefix: "/",
  bodyLimit: 1024 * 1024,
  requestTimeout: 30_000,
} as const;
