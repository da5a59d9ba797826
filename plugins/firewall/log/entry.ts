/** Records of requests, tunnels and look-ups. */

/** The process that connected. */
export interface Requester {
  readonly pid: number;
  readonly comm: string;
  readonly cmdline: string;
  readonly inode?: string;
}

/** The fields of a line in `access.log`. `-` means none. */
export interface AccessFields {
  /** Epoch seconds with a fraction. */
  readonly timestamp: number;
  readonly clientIp: string;
  readonly clientPort: string;
  /** The `Host` header as sent. */
  readonly host: string;
  readonly destIp: string;
  readonly destPort: string;
  /** HTTP version. */
  readonly protocol: string;
  readonly method: string;
  readonly statusCode: number;
  /** Result and hierarchy: `TCP_TUNNEL:HIER_DIRECT`. */
  readonly decision: string;
  readonly url: string;
  readonly userAgent: string;
}

/** Fields in `access.jsonl` only. */
interface DecisionFields {
  readonly rule: string;
  readonly pattern?: string;
  readonly reason?: string;
  readonly requester?: Requester;
  /** By the command. */
  readonly bytesSent: number;
  /** By the command. */
  readonly bytesReceived: number;
  readonly durationMs: number;
}

export type AccessRecord = AccessFields & DecisionFields;
