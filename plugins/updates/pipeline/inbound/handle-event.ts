/** Reacts to events of the code host. Events may be repeated, late or out of order. */
import { CONFIG_FILES } from "../../config-files/paths.js";
import { errorMessage } from "../../errors.js";
import type { HostEvent } from "../../hosts/events/contract.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import type { NamedRepo } from "../../store/repos.js";
import type { Ports } from "../ports.js";
import type { BranchPorts } from "./branch-changes.js";
import { branchChanged, pushed } from "./branch-changes.js";
import { handleComment } from "./comment-commands.js";

async function applyEvent(
  ports: BranchPorts & Pick<Ports, "directory" | "enqueueFollow" | "flushed" | "hostReported">,
  event: HostEvent,
): Promise<void> {
  const { host } = ports;
  if (!(host instanceof RemoteHost)) return;
  const repo = (await ports.repos.byHost(event.repo)) ?? (await discoverRepo(ports, host, event));
  if (!repo) return;
  ports.hostReported(repo.id);
  switch (event.kind) {
    case "pushed":
      host.outdate(repo.host_id);
      if (event.branch === repo.default_branch) await pushed(ports, repo);
      else await branchChanged(ports, repo, event.branch);
      return;
    case "pull":
      return followed(ports, repo, (pull) => pull.number === event.number);
    case "checked":
      return followed(ports, repo, (pull) => pull.head_sha === event.commit);
    case "commented":
      return handleComment(ports, host, repo, event);
  }
}

/** The delivery is already answered, so errors are logged. */
export function handleEvent(
  ports: BranchPorts & Pick<Ports, "directory" | "enqueueFollow" | "flushed" | "hostReported">,
  event: HostEvent,
): void {
  void applyEvent(ports, event).catch((thrown: unknown) => {
    ports.log.warn("Cannot process the code host event", {
      event: event.kind,
      reason: errorMessage(thrown),
    });
  });
}

async function followed(
  ports: Pick<Ports, "enqueueFollow" | "pulls">,
  repo: NamedRepo,
  isMeant: (pull: { readonly number: number; readonly head_sha: string }) => boolean,
): Promise<void> {
  for (const pull of await ports.pulls.list({ repoId: repo.id, state: "open" }))
    if (isMeant(pull)) await ports.enqueueFollow(pull);
}

const named: ReadonlySet<string> = new Set(CONFIG_FILES);

/** Adopts an unknown repository if the push contains its config file. */
async function discoverRepo(
  ports: Pick<Ports, "directory">,
  host: RemoteHost,
  event: HostEvent,
): Promise<NamedRepo | undefined> {
  if (event.kind !== "pushed" || !event.paths.some((path) => named.has(path))) return undefined;
  return ports.directory.repo(host, host.self, event.repo);
}
