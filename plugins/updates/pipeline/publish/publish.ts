/**
 * Turns a proposal into a pull request. After a crash at any step, users see all of it or nothing: the record is hidden until its
 * branch exists, and the next start completes or discards hidden records (`recover.ts`).
 */
import { UpdatesError } from "../../errors.js";
import type { RefStep, TreeChange } from "../../git/repository.js";
import type { UpdateEdit } from "../../managers/contract.js";
import type { NewPullDependency } from "../../store/pulls.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Config, Pull } from "../../store/tables.js";
import { bytesOf } from "../../text/text.js";
import type { IndexedProject } from "../dependency-index.js";
import type { JobLease } from "../job-lease.js";
import { type BodyOptions, bodyOf } from "../plan/body.js";
import { branchOf, languageOf, messageOf, type Prefix, titleOf } from "../plan/naming.js";
import type { Proposal } from "../plan/proposals.js";
import type { Ports } from "../ports.js";

export type PublishPorts = Pick<
  Ports,
  "clock" | "emit" | "flushed" | "host" | "pulls" | "pushes" | "settings"
>;

export interface Publication {
  readonly config: Config;
  readonly repo: NamedRepo;
  readonly project: IndexedProject;
  readonly proposal: Proposal;
  readonly edit: UpdateEdit;
  readonly lease: JobLease;
  /** The id of the proposing run's record. */
  readonly run: number;
  readonly prefix: Prefix;
  readonly labels: readonly string[] | undefined;
  /** The content of its body beside the updates. */
  readonly bodyOptions: Omit<BodyOptions, "note">;
}

/** Holds a commit until its branch exists. */
export const draftRef = (pullId: number): string => `refs/reeve/${pullId}`;
const pullRef = (number: number): string => `refs/pull/${number}/head`;

/** Opens a new pull request. @throws UpdatesError `moved` if a foreign branch has its name */
export async function openPull(ports: PublishPorts, publication: Publication): Promise<Pull> {
  const { config, repo, project, proposal, edit } = publication;
  const now = ports.clock.now();
  const headRef = `refs/heads/${branchOf(config, proposal)}`;
  const branchHead = await ownBranch(ports, repo, project, headRef);
  const title = titleOf(config, proposal, publication.prefix);
  const note = edit.lock.kind === "stale" ? edit.lock.note : undefined;
  const prepared = await ports.pulls.prepare(
    {
      repo_id: repo.id,
      config_id: config.id,
      base: project.branch,
      base_sha: project.commit,
      head_ref: headRef,
      head_sha: "",
      title,
      body: bodyOf(proposal, { ...publication.bodyOptions, note }),
      state: "preparing",
      reason: null,
      superseded_by: null,
      security: proposal.security ? 1 : 0,
      note: note ?? null,
      checks: "none",
      automerge: "undecided",
      automerge_reason: null,
      labels: JSON.stringify(publication.labels ?? labelsOf(config, proposal)),
      created_at: now,
      updated_at: now,
      merged_sha: null,
    },
    dependenciesOf(proposal),
    publication.run,
  );
  try {
    const sha = await commitDraft(ports, publication, prepared.id, title);
    const drafted = await ports.pulls.change(prepared.id, { head_sha: sha });
    const isOurs = ports.host.kind === "embedded";
    const publish = isOurs ? publishNumbered : publishElsewhere;
    const published = await publish(ports, publication, drafted, branchHead);
    return await reveal(ports, repo, published, publication.lease.hold);
  } catch (thrown) {
    if (thrown instanceof UpdatesError && thrown.code === "moved") {
      await ports.pulls.discard(prepared.id);
    }
    throw thrown;
  }
}

/** Publishes on the embedded host. If the number's ref is taken, uses the next free number. */
async function publishNumbered(
  ports: Pick<Ports, "flushed" | "host" | "pulls">,
  { repo, project }: Pick<Publication, "repo" | "project">,
  pull: Pull,
  branchHead: string | undefined,
): Promise<Pull> {
  // The record must be durable before its branch is visible.
  await ports.flushed();
  try {
    await ports.host.publish(hostRepoOf(repo), [
      { ref: pull.head_ref, from: branchHead, to: pull.head_sha },
      ...ownRefs(ports, pull, undefined),
    ]);
    return pull;
  } catch (thrown) {
    const refs = await project.repository.refs("refs/pull/");
    const taken = new Set([...refs.keys()].map((ref) => Number(ref.split("/")[2])));
    if (!taken.has(pull.number)) throw thrown;
    let number = pull.number + 1;
    while (taken.has(number)) number += 1;
    const renumbered = await ports.pulls.change(pull.id, { number });
    return publishNumbered(ports, { repo, project }, renumbered, branchHead);
  }
}

/**
 * Publishes on a remote host. A late push of a daemon that seemed dead may land first: then it is replaced, or already
 * correct.
 */
async function publishElsewhere(
  ports: Pick<Ports, "flushed" | "host" | "pulls" | "pushes">,
  { repo, project, lease }: Pick<Publication, "repo" | "project" | "lease">,
  pull: Pull,
  branchHead: string | undefined,
): Promise<Pull> {
  const { host } = ports;
  const { head_ref: ref, head_sha: to } = pull;
  await ports.flushed();
  await ports.pushes.begin(repo.id, ref, to);
  await lease.hold();
  try {
    await host.publish(hostRepoOf(repo), [{ ref, from: branchHead, to }]);
  } catch (thrown) {
    if (!(thrown instanceof UpdatesError) || thrown.code !== "moved") throw thrown;
    const repository = await host.open(hostRepoOf(repo)).catch(() => {
      throw thrown;
    });
    const present = await ownBranch(ports, repo, { ...project, repository }, ref);
    if (present === to) return pull;
    if (present === branchHead) throw thrown;
    await lease.hold();
    await host.publish(hostRepoOf(repo), [{ ref, from: present, to }]);
  }
  return pull;
}

/** Rebuilds a pull request on a new base. @throws UpdatesError `moved` if its branch has commits of others */
export async function rebuildPull(
  ports: Pick<Ports, "clock" | "host" | "pulls" | "pushes" | "settings">,
  publication: Publication,
  pull: Pull,
): Promise<Pull> {
  const { repo, project, proposal, edit } = publication;
  const sha = await commitDraft(ports, publication, pull.id, pull.title);
  if (ports.host.kind !== "embedded") {
    await ports.pushes.begin(repo.id, pull.head_ref, sha);
    await publication.lease.hold();
  }
  await ports.host.publish(hostRepoOf(repo), [
    { ref: pull.head_ref, from: pull.head_sha, to: sha },
    ...ownRefs(ports, { ...pull, head_sha: sha }, pull.head_sha),
  ]);
  const note = edit.lock.kind === "stale" ? edit.lock.note : null;
  const remade = await ports.pulls.replace(
    pull.id,
    {
      base_sha: project.commit,
      head_sha: sha,
      note,
      checks: "none",
      automerge: pull.automerge === "asked" ? "asked" : "undecided",
      automerge_reason: null,
      updated_at: ports.clock.now(),
    },
    dependenciesOf(proposal),
    publication.run,
  );
  await arrived(ports, remade);
  return remade;
}

/** The branch exists: opens the pull request on the host and shows the record. Repeatable; adopts what another daemon opened. */
export async function reveal(
  ports: Pick<Ports, "emit" | "host" | "pulls" | "pushes">,
  repo: NamedRepo,
  pull: Pull,
  hold?: JobLease["hold"],
): Promise<Pull> {
  if (ports.host.kind !== "embedded") await hold?.();
  const number = await ports.host.openPull(
    hostRepoOf(repo),
    {
      base: pull.base,
      head: pull.head_ref.replace("refs/heads/", ""),
      title: pull.title,
      body: pull.body,
      labels: JSON.parse(pull.labels) as readonly string[],
    },
    pull.number,
  );
  const open = await ports.pulls.reveal(pull.id, number);
  if (!open) return (await ports.pulls.byId(pull.id)) ?? pull;
  await arrived(ports, open);
  ports.emit("update.opened", {
    repo: `${repo.login}/${repo.name}`,
    number,
    title: pull.title,
    pull: pull.id,
  });
  return open;
}

/** The record matches the branch; pending pushes are forgotten. */
async function arrived(
  { host, pushes }: Pick<Ports, "host" | "pushes">,
  pull: Pull,
): Promise<void> {
  if (host.kind !== "embedded") await pushes.over(pull.repo_id, pull.head_ref);
}

async function commitDraft(
  ports: Pick<Ports, "clock" | "settings">,
  { project, proposal, config, edit }: Publication,
  pullId: number,
  title: string,
): Promise<string> {
  const modes = new Map(project.sources.tree.map(({ path, kind }) => [path, kind]));
  const changes: TreeChange[] = [
    ...[...edit.files].map(([path, text]) => ({
      kind: "write" as const,
      path,
      content: bytesOf(text),
      mode: modes.get(path) === "executable" ? "100755" : "100644",
    })),
    ...[...edit.submodules].map(([path, sha]) => ({ kind: "submodule" as const, path, sha })),
  ];
  return project.repository.commit({
    ref: draftRef(pullId),
    parent: project.commit,
    changes,
    message: messageOf(config, proposal, title),
    author: {
      ...ports.settings.committer,
      at: Math.floor(ports.clock.now() / 1000),
    },
  });
}

/** On the embedded host, one step creates the number's ref and deletes the draft. */
function ownRefs(ports: Pick<Ports, "host">, pull: Pull, before: string | undefined): RefStep[] {
  if (ports.host.kind !== "embedded") return [];
  return [
    { ref: pullRef(pull.number), from: before, to: pull.head_sha },
    { ref: draftRef(pull.id), from: pull.head_sha, to: undefined },
  ];
}

/**
 * The value at which the branch may be replaced: `undefined` if it does not exist, or a commit of Reeve.
 * @throws UpdatesError `moved` if the commit is foreign
 */
async function ownBranch(
  ports: Pick<Ports, "pulls" | "pushes">,
  repo: NamedRepo,
  { repository }: IndexedProject,
  ref: string,
): Promise<string | undefined> {
  const sha = await repository.resolve(ref);
  if (sha === undefined) return undefined;
  const pulls = await ports.pulls.list({ repoId: repo.id });
  if (pulls.some((pull) => pull.head_ref === ref && pull.head_sha === sha)) return sha;
  if (await ports.pushes.isOurs(repo.id, ref, sha)) return sha;
  throw new UpdatesError(
    "moved",
    `The branch ${ref.replace("refs/heads/", "")} exists and was not created by Reeve; delete or rename it.`,
  );
}

function dependenciesOf({ updates }: Proposal): readonly NewPullDependency[] {
  return updates.map(({ change, from, to, semver, inRange, fixes }) => ({
    name: change.dependency.name,
    from_version: from ?? null,
    to_version: to,
    kind: kindOf(change.dependency.declarations),
    requirement: change.dependency.declarations[0]?.requirement ?? null,
    update_type: semver ?? "other",
    in_range: inRange ? 1 : 0,
    security: fixes.length > 0 ? 1 : 0,
  }));
}

function kindOf(
  declarations: readonly { readonly development: boolean }[],
): NewPullDependency["kind"] {
  if (declarations.length === 0) return "runtime";
  if (declarations.every(({ development }) => development)) return "development";
  return declarations.some(({ development }) => development) ? "both" : "runtime";
}

const labelsOf = (config: Config, { security }: Proposal): readonly string[] => [
  "dependencies",
  languageOf(config.package_manager),
  ...(security ? ["security"] : []),
];
