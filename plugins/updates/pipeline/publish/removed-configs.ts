/** Pull requests of removed configs: closed with the config, or left open for the next config of the project. */
import type { NamedRepo } from "../../store/repos.js";
import type { Config } from "../../store/tables.js";
import { isBranchOf } from "../plan/naming.js";
import type { Ports } from "../ports.js";
import { type ClosePorts, closePull } from "./close.js";

/** With `keep` its pull requests stay open. `false` if the config does not exist. */
export async function removeConfig(
  ports: ClosePorts & Pick<Ports, "configs">,
  repo: NamedRepo,
  { id }: Pick<Config, "id">,
  keep = false,
): Promise<boolean> {
  if (!(await ports.configs.remove(id))) return false;
  if (!keep) await closePullsOf(ports, repo, id);
  return true;
}

/** Closes the open pull requests of a removed config that were created since `since`. */
export async function closePullsOf(
  ports: ClosePorts,
  repo: NamedRepo,
  configId: number,
  since = 0,
): Promise<void> {
  const open = await ports.pulls.list({ configId, state: "open" });
  for (const pull of open.filter(({ created_at }) => created_at >= since))
    await closePull(ports, repo, pull, {
      reason: "config_removed",
      comment: "Its update config was removed.",
    });
}

/** Gives a new config the open pull requests of removed ones whose branches it would use. */
export async function adoptPulls(
  ports: Pick<Ports, "pulls">,
  repo: NamedRepo,
  config: Config,
): Promise<void> {
  const base = config.target_branch || repo.default_branch;
  const open = (await ports.pulls.withoutConfig(repo.id)).filter((pull) => pull.base === base);
  const dependencies = await ports.pulls.dependencies(open.map(({ id }) => id));
  const ours = open.filter(({ id, head_ref: ref }) => {
    const names = (dependencies.get(id) ?? []).map(({ name }) => name);
    return isBranchOf(config, ref.replace("refs/heads/", ""), names);
  });
  await ports.pulls.adopt(
    ours.map(({ id }) => id),
    config.id,
  );
}
