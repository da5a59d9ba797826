/** One record: a request, a tunnel, a look-up, allowed or denied. */

/** The process that asked, as found when its connection arrived. */
export interface Requester {
  readonly pid: number;
  readonly comm: string;
  readonly cmdline: string;
  readonly inode: string;
}

/** The fields of a line in `access.log`, as text where the line has text. `-` is "none". */
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

/** What only the JSON twin has. */
interface DecisionFields {
  readonly rule: string;
  readonly pattern?: string;
  readonly reason?: string;
  readonly requester?: Requester;
  /** Sent by the command. */
  readonly bytesSent: number;
  /** Received by the command. */
  readonly bytesReceived: number;
  readonly durationMs: number;
}

/** What the proxy hands to the log. */
export type AccessRecord = AccessFields & DecisionFields;
