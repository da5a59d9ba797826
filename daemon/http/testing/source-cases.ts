/** Requests about the repository that a daemon follows, and what the control API answers. */
import type { ControlFixture } from "./subjects.js";

export interface ControlCase {
  readonly route: string;
  /** Where the path has parameters. */
  readonly path?: string;
  readonly body?: unknown;
  readonly given?: (stage: ControlFixture) => void;
  readonly status: number;
  /** Part of the answer. */
  readonly has?: object;
  readonly calls?: readonly string[];
}

const followed = (stage: ControlFixture): void => {
  stage.followed = true;
};

export const sourceCases: Readonly<Record<string, ControlCase>> = {
  "a source": {
    route: "GET /v1/source",
    given: followed,
    status: 200,
    has: { branch: "main", commit: "0".repeat(40) },
  },
  "no source": {
    route: "GET /v1/source",
    status: 404,
    has: { detail: "The daemon follows no git repository." },
  },
  "a source is asked now": {
    route: "POST /v1/source",
    given: followed,
    body: { action: "poll" },
    status: 200,
    calls: ["source poll"],
  },
  "a source is paused": {
    route: "POST /v1/source",
    given: followed,
    body: { action: "pause", duration: 60_000 },
    status: 200,
    calls: ["source pause 60000"],
  },
  "a source is paused for how long": {
    route: "POST /v1/source",
    given: followed,
    body: { action: "pause" },
    status: 400,
    has: { detail: "The action needs `duration`." },
    calls: [],
  },
  "a rewritten branch is accepted": {
    route: "POST /v1/source",
    given: followed,
    body: { action: "accept", commit: "0".repeat(12) },
    status: 200,
    calls: [`source accept ${"0".repeat(12)}`],
  },
  "a commit that is not the newest": {
    route: "POST /v1/source",
    given: followed,
    body: { action: "accept", commit: "f".repeat(12) },
    status: 409,
    has: { code: "not_the_newest" },
  },
};
