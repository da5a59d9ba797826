/** What a daemon answers to the dashboard, whichever face it has. */
import type { Answers } from "../../testing/daemon-double.js";
import {
  generation,
  generationDetail,
  run,
  runSummary,
  snapshot,
  status,
} from "../../testing/samples.js";
import { model } from "./model.js";

export const dashboardAnswers: Answers = {
  "GET /v1/status": () => status,
  "GET /v1/runs": () => ({ runs: [runSummary] }),
  "GET /v1/runs/:id": () => run,
  "GET /v1/panels": () => ({ plugins: model.panels }),
  "GET /v1/generations": () => ({ generations: [generation, { ...generation, number: 11 }] }),
  "GET /v1/generations/:id": () => generationDetail,
  "GET /v1/events": async function* () {
    yield snapshot;
    await new Promise(() => undefined);
  },
};
