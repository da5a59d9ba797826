/** The plugin's persistent state. */
import { PostgresAdapter } from "kysely";
import type { PluginContext } from "reeve/plugin";
import { Accounts } from "./accounts.js";
import { Configs } from "./configs.js";
import { KeptEvents } from "./events.js";
import { GroupCommit } from "./group-commit.js";
import { migrations } from "./migrations.js";
import { Pulls } from "./pulls.js";
import { Pushes } from "./pushes.js";
import { RegistryCache } from "./registry-cache.js";
import { Repos } from "./repos.js";
import { RunReasons } from "./run-reasons.js";
import { UpdateRuns } from "./runs.js";
import type { Tables } from "./tables.js";

export interface UpdatesStore {
  /** Whether other daemons share the records: unfinished work may be theirs. */
  readonly isShared: boolean;
  readonly accounts: Accounts;
  readonly repos: Repos;
  readonly configs: Configs;
  readonly reasons: RunReasons;
  readonly pulls: Pulls;
  readonly pushes: Pushes;
  readonly runs: UpdateRuns;
  readonly events: KeptEvents;
  readonly registryCache: RegistryCache;
  /** Resolves when all previous writes survive a power cut. @throws if the disk fails */
  flushed(): Promise<void>;
}

export async function openStore({ store, clock }: PluginContext): Promise<UpdatesStore> {
  const database = await store.database<Tables>(migrations);
  const groupCommit = await GroupCommit.begin(database);
  return {
    isShared: database.getExecutor().adapter instanceof PostgresAdapter,
    accounts: new Accounts(database),
    repos: new Repos(database),
    configs: new Configs(database),
    reasons: new RunReasons(database),
    pulls: new Pulls(database),
    pushes: new Pushes(database),
    runs: new UpdateRuns(database),
    events: new KeptEvents(database),
    registryCache: new RegistryCache(database, () => clock.now()),
    flushed: async () => groupCommit?.flushed(),
  };
}
