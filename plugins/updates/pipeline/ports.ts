/**
 * What the pipeline and its callers work with. A function takes the ports that it uses, `Pick<Ports, "pulls" | "host">`, so
 * its signature says what it may touch. `runtime.ts` composes them.
 */
import type { Readable } from "node:stream";
import type { Clock, Fields, Log, PluginContext } from "reeve/plugin";
import type { AdvisoryIndex } from "../advisories/advisory-index.js";
import type { AccountSettings, UpdatesSettings } from "../blocks/settings.js";
import type { Access } from "../hosts/access.js";
import type { CodeHost } from "../hosts/contract.js";
import type { RepositoryDirectory } from "../hosts/repository-directory.js";
import type { PackageManager } from "../managers/index.js";
import type { UpdatesStore } from "../store/store.js";
import type { Config, Pull } from "../store/tables.js";
import type { DependencyIndex } from "./dependency-index.js";
import type { ManagerServices } from "./manager-services.js";
import type { ReleaseNotesSource } from "./release-notes/contract.js";
import type { Stages } from "./stages.js";

export interface Ports extends Omit<UpdatesStore, "events"> {
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the instance stops. */
  readonly signal: AbortSignal;
  /** The settings in force; a reload replaces them. */
  readonly settings: UpdatesSettings;
  readonly host: CodeHost;
  readonly access: Access;
  readonly directory: RepositoryDirectory;
  readonly managers: ManagerServices;
  readonly index: DependencyIndex;
  readonly advisories: AdvisoryIndex;
  readonly releaseNotes: ReleaseNotesSource;
  readonly stages: Stages;
  readonly checks: Pick<PluginContext, "directories" | "processes" | "runs">;
  /** `http://127.0.0.1:9100`, base path included, without a trailing slash. */
  readonly url: string;

  /** `type` is dotted and in the past tense: `update.opened`. */
  emit(type: string, data: Fields): void;
  /** Server-sent events that concern the listener: after the event with that number, or from now on. */
  listen(concerns: (data: Fields) => boolean, after?: number): Readable;
  /** Records a reason to run these configs and queues them: all dependencies, or the one that was released. */
  enqueue(configs: readonly Config[], trigger: string, request?: RunRequest): Promise<void>;
  /** Queues configs that have a recorded reason to run. */
  enqueueRuns(configs: readonly Pick<Config, "id" | "repo_id">[], after?: number): Promise<void>;
  /** Queues a check of the pull request and, where its rules allow it, the merge. */
  enqueueFollow(pull: Pull, after?: number): Promise<void>;
  enqueueNotification(notification: ReleaseNotification, after?: number): Promise<void>;
  queueSizes(): Promise<{ readonly waiting: number; readonly running: number }>;
  /** Computes when the config runs next by its schedule. */
  planRun(config: Config, account: AccountSettings): Promise<void>;
  /** Starts runs for an announced release. Returns the number of configs that use the package. */
  announce(release: Omit<ReleaseNotification, "at" | "attempt">): Promise<number>;
  /** When a release of the origin was last announced, in milliseconds since the epoch. */
  announcedAt(origin: string): number;
  /** The code host has delivered an event about this repository, so it need not be polled. */
  hostReported(repoId: number): void;
}

interface RunRequest {
  /** Only this dependency. @default all of them */
  readonly name?: string;
  /** When its release was announced or the run requested, in milliseconds since the epoch. */
  readonly at?: number;
}

/** Plain data: the payload of a job. */
export interface ReleaseNotification {
  readonly packageManager: PackageManager;
  /** Normalized by the package manager. */
  readonly name: string;
  /** A hint; the registry decides. */
  readonly version: string | undefined;
  /** Record ids of the accounts whose repositories the caller may see. */
  readonly accounts: readonly number[];
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Origins that do not show the version yet. @default all origins are queried */
  readonly lagging?: readonly string[];
  readonly attempt: number;
}
