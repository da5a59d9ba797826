/** All that the dashboard knows at one moment. It is replaced, never changed. */
import type {
  DaemonEvent,
  Findings,
  GenerationDetail,
  GenerationSummary,
  LogLine,
  PanelList,
  Plan,
  RunRecord,
  RunSummary,
  Status,
} from "../../../daemon/http/control/api.js";

/** Whether what is shown is true at the moment. */
export type Link =
  | { readonly state: "live" }
  /** `since`: of the last word of the daemon, on its own clock. */
  | { readonly state: "lost"; readonly since: number; readonly reason: string };

/** What a reload would do now. */
export interface PendingChange extends Findings {
  /** Absent where the text on disk is invalid. */
  readonly plan?: Plan;
  /** Why there is no answer at all, one sentence. */
  readonly error?: string;
}

export interface Model {
  readonly link: Link;
  /** The daemon's clock, as well as it is known, in milliseconds since the epoch. */
  readonly now: number;
  readonly status: Status | undefined;
  /** Newest first. */
  readonly runs: readonly RunSummary[];
  /** There are older runs that were not asked for. */
  readonly moreRuns: boolean;
  /** Newest first. */
  readonly events: readonly DaemonEvent[];
  /** What the daemon and its plugins log, newest first. */
  readonly logs: readonly LogLine[];
  /** Events were missed because there were too many. */
  readonly missed: boolean;
  readonly panels: PanelList["plugins"];
  /** Newest first. */
  readonly generations: readonly GenerationSummary[];
  /** Events a second in the last minutes, oldest first: of the whole daemon, and by plugin. */
  readonly rates: {
    readonly all: readonly number[];
    readonly of: ReadonlyMap<string, readonly number[]>;
  };
  /** What was asked for to be looked at closely. */
  readonly run: RunRecord | undefined;
  readonly generation: GenerationDetail | undefined;
  readonly pending: PendingChange | undefined;
  /** What screens have loaded, by their ids. */
  readonly data: Readonly<Record<string, unknown>>;
}

export const emptyModel: Model = {
  link: { state: "live" },
  now: 0,
  status: undefined,
  runs: [],
  moreRuns: false,
  events: [],
  logs: [],
  missed: false,
  panels: [],
  generations: [],
  rates: { all: [], of: new Map() },
  run: undefined,
  generation: undefined,
  pending: undefined,
  data: {},
};
