/** What a stranger can ask of a socket. Durations in milliseconds. */
export const LIMITS = {
  /** All headers of a request together. */
  headerBytes: 16 * 1024,
  /** To send them. */
  headersTimeout: 10_000,
  /** Between two requests on one connection. Longer than the usual minute of proxies would keep sockets for nothing. */
  keepAliveTimeout: 65_000,
  /** How often slow clients are looked for. */
  checkingInterval: 1000,
  /** For connections without a request, when their address is given up. */
  parting: 500,
  /** Open at the same time on one address; more are turned away. */
  connections: 10_000,
  /** Of these, by one address; a /64 counts as one. */
  sourceConnections: 1000,
  /** Of one address, without a response yet; more get 429. */
  sourceRequests: 1000,
  /** Of one HTTP/2 connection, at the same time. */
  streams: 100,
} as const;
