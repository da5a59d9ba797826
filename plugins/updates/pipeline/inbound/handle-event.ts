/** What is done about what a code host tells. Everything may be told twice, late, or in another order. */
import { CONFIG_FILES } from "../../config-files/paths.js";
import { errorMessage } from "../../errors.js";
import type { HostEvent } from "../../hosts/events/contract.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import type { UpdatesRuntime } from "../../runtime.js";
import type { NamedRepo } from "../../store/repos.js";
import { handleComment } from "./comment-commands.js";

async function applyEvent(service: UpdatesRuntime, event: HostEvent): Promise<void> {
  const { host, store } = service;
  if (!(host instanceof RemoteHost)) return;
  const repo = (await store.repos.byHost(event.repo)) ?? (await discoverRepo(service, host, event));
  if (!repo) return;
  service.poller.hostReported(repo.id);
  switch (event.kind) {
    case "pushed":
      host.outdate(repo.host_id);
      if (event.branch === repo.default_branch) await service.pushed(repo);
      else await service.branchChanged(repo, event.branch);
      return;
    case "pull":
      return followed(service, repo, (pull) => pull.number === event.number);
    case "checked":
      return followed(service, repo, (pull) => pull.head_sha === event.commit);
    case "commented":
      return handleComment(service, host, repo, event);
  }
}

/** The address has answered already: trouble is for the log. */
export function handleEvent(service: UpdatesRuntime, event: HostEvent): void {
  void applyEvent(service, event).catch((thrown: unknown) => {
    service.context.log.warn("what the code host told could not be taken in", {
      event: event.kind,
      reason: errorMessage(thrown),
    });
  });
}

async function followed(
  service: UpdatesRuntime,
  repo: NamedRepo,
  isMeant: (pull: { readonly number: number; readonly head_sha: string }) => boolean,
): Promise<void> {
  for (const pull of await service.store.pulls.list({ repoId: repo.id, state: "open" }))
    if (isMeant(pull)) await service.queues.follow(pull);
}

const named: ReadonlySet<string> = new Set(CONFIG_FILES);

/** A repository nobody has asked about yet, where its own file asks for updates. */
async function discoverRepo(
  service: UpdatesRuntime,
  host: RemoteHost,
  event: HostEvent,
): Promise<NamedRepo | undefined> {
  if (event.kind !== "pushed" || !event.paths.some((path) => named.has(path))) return undefined;
  return service.directory.repo(host, host.self, event.repo);
}
