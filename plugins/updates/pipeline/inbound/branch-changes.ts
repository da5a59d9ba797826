/** Reactions to commits: the config file, the dependency index and open pull requests follow the branch. */
import { errorMessage, isStoreAway } from "../../errors.js";
import { EmbeddedHost } from "../../hosts/embedded/embedded.js";
import { headIn } from "../../hosts/embedded/watch.js";
import type { NamedRepo } from "../../store/repos.js";
import type { Ports } from "../ports.js";
import type { ConfigFilePorts } from "./sync-config-file.js";
import { syncConfigFile } from "./sync-config-file.js";

export type BranchPorts = ConfigFilePorts & Pick<Ports, "pulls">;

/** The pause after a scan is at least this long, and 20 times the scan. */
const shortestPause = 10_000;

/** The default branch has new commits. */
export async function pushed(ports: BranchPorts, repo: NamedRepo): Promise<void> {
  if (ports.host.kind === "embedded") {
    const head = await headIn(repo.place, repo.default_branch);
    await ports.repos.change(repo.id, { seen_head: head ?? null, language: null });
  }
  await syncConfigFile(ports, repo);
  const configs = await ports.configs.ofRepo(repo.id);
  const branches = new Set(configs.map((each) => each.target_branch || repo.default_branch));
  for (const branch of branches) await branchChanged(ports, repo, branch);
  ports.emit("update.pushed", { repo: `${repo.login}/${repo.name}` });
}

/** Indexes the branch again, and queues configs with open pull requests on it. */
export async function branchChanged(
  ports: Pick<Ports, "configs" | "enqueue" | "index" | "pulls">,
  repo: NamedRepo,
  branch: string,
): Promise<void> {
  const configs = await ports.configs.ofRepo(repo.id);
  const concerned = configs.filter(
    (config) => (config.target_branch || repo.default_branch) === branch,
  );
  for (const config of concerned) await ports.index.refresh(config, repo);
  const open = await ports.pulls.list({ repoId: repo.id, state: "open" });
  const waiting = new Set(open.map(({ config_id }) => config_id));
  const again = concerned.filter(({ id }) => waiting.has(id));
  if (again.length > 0) await ports.enqueue(again, "base moved");
}

/** Polls the advisories and the folder of repositories until the instance stops. */
export async function watchFolder(
  ports: BranchPorts & Pick<Ports, "advisories" | "directory" | "signal">,
): Promise<void> {
  const { clock, signal, log } = ports;
  while (!signal.aborted) {
    const started = performance.now();
    try {
      await refreshAdvisories(ports);
      await scanRepositories(ports);
    } catch (thrown) {
      if (signal.aborted) return;
      if (!isStoreAway(thrown)) {
        log.warn(`Cannot read the folder of repositories: ${errorMessage(thrown)}`);
      }
    }
    const pause = Math.max(shortestPause, 20 * (performance.now() - started));
    await clock.sleep(pause, signal).catch(() => undefined);
  }
}

/** New advisories may concern every config. */
async function refreshAdvisories(
  ports: Pick<Ports, "advisories" | "configs" | "enqueue" | "settings">,
): Promise<void> {
  if (!(await ports.advisories.refresh(ports.settings.advisories))) return;
  const configs = await ports.configs.all();
  if (configs.length > 0) await ports.enqueue(configs, "advisories");
}

/** Finds accounts, repositories and commits that did not come through the API. */
async function scanRepositories(ports: BranchPorts & Pick<Ports, "directory">): Promise<void> {
  const { host } = ports;
  if (!(host instanceof EmbeddedHost)) return;
  for (const account of await host.everyAccount()) {
    await ports.directory.refresh(host, { login: "", token: "", owner: true }, account);
  }
  for (const repo of await ports.repos.all()) {
    const head = await headIn(repo.place, repo.default_branch);
    if (head !== undefined && head !== repo.seen_head) await pushed(ports, repo);
  }
}
