/** Commands in comments: `@reeve rebase`. The author needs push permission. */
import { mayAtLeast } from "../../hosts/contract.js";
import type { HostEvent } from "../../hosts/events/contract.js";
import type { RemoteHost } from "../../hosts/remote/remote.js";
import { managerOf, type PackageManager } from "../../managers/index.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Config, Pull } from "../../store/tables.js";
import type { Ports } from "../ports.js";
import type { ClosePorts } from "../publish/close.js";
import { closedByUser, closePull, offerAgain } from "../publish/close.js";

export type CommentCommand =
  | { readonly what: "rebase" | "recreate" | "merge" | "cancel merge" | "close" | "reopen" }
  | {
      readonly what: "ignore";
      readonly which: "major" | "minor" | "patch" | "version" | "dependency";
    }
  | { readonly what: "unignore" };

const SIMPLE = ["rebase", "recreate", "merge", "cancel merge", "close", "reopen"] as const;

/** The first line addressed to Reeve. `unknown` for unsupported words. */
export function commandIn(text: string): CommentCommand | "unknown" | undefined {
  const [, said] =
    /^[ \t]*@(?:reeve|dependabot)(?:\[bot\])?[ \t]+(.+?)[ \t\r.!]*$/im.exec(text) ?? [];
  if (said === undefined) return undefined;
  const words = said.toLowerCase().replace(/\s+/g, " ");
  const simple = SIMPLE.find((each) => each === words);
  if (simple) return { what: simple };
  if (words === "squash and merge") return { what: "merge" };
  if (/^unignore( this dependency)?$/.test(words)) return { what: "unignore" };
  const [, which] = /^ignore this (major|minor|patch)(?: version)?$/.exec(words) ?? [];
  const [, whole] = /^ignore this (dependency|version)$/.exec(words) ?? [];
  if (whole !== undefined) return { what: "ignore", which: whole as "version" };
  return which === undefined ? "unknown" : { what: "ignore", which: which as "major" };
}

export async function handleComment(
  ports: ClosePorts & Pick<Ports, "configs" | "enqueue" | "enqueueFollow">,
  host: RemoteHost,
  repo: NamedRepo,
  { number, author, text }: Extract<HostEvent, { kind: "commented" }>,
): Promise<void> {
  const command = commandIn(text);
  if (command === undefined) return;
  const pull = (await ports.pulls.list({ repoId: repo.id })).find((each) => each.number === number);
  const config = pull && (await ports.configs.byId(pull.config_id));
  if (!pull || !config) return;
  const hostRepo = hostRepoOf(repo);
  const reply = (words: string): Promise<void> => host.comment(hostRepo, number, words);
  if (!mayAtLeast(await host.permissionOf(hostRepo, author), "push"))
    return reply(
      `@${author.login}: only users with push permission for this repository may use commands.`,
    );
  if (command === "unknown")
    return reply(
      "I understand `rebase`, `recreate`, `merge`, `cancel merge`, `close`, `reopen`, `ignore this major version`, `ignore this minor version`, `ignore this patch version`, `ignore this version`, `ignore this dependency` and `unignore`.",
    );
  // The comment may refer to a recent push.
  host.outdate(repo.host_id);
  const answer = await executeCommand(ports, command, { pull, config, repo });
  if (answer !== undefined) await reply(answer);
  // The merge comes after the reply.
  if (command.what === "merge") await ports.enqueueFollow(pull);
}

interface CommandTarget {
  readonly pull: Pull;
  readonly config: Config;
  readonly repo: NamedRepo;
}

/** Returns the reply, or `undefined` if the result speaks for itself. */
async function executeCommand(
  ports: ClosePorts & Pick<Ports, "configs" | "enqueue" | "enqueueFollow">,
  command: CommentCommand,
  about: CommandTarget,
): Promise<string | undefined> {
  const { pull, config } = about;
  if (command.what !== "reopen" && command.what !== "unignore" && pull.state !== "open")
    return `This pull request is ${pull.state} already.`;
  switch (command.what) {
    case "rebase":
    case "recreate":
      return requestRebuild(ports, command.what, about);
    case "merge":
      await ports.pulls.change(pull.id, { automerge: "asked", automerge_reason: null });
      return pull.note === null
        ? "It is merged as soon as its checks have passed."
        : `It is merged as soon as its checks have passed, although its lock file is not up to date: ${pull.note}`;
    case "cancel merge":
      await ports.pulls.change(pull.id, { automerge: "undecided" });
      await ports.enqueueFollow(pull);
      return undefined;
    case "close":
      await closedByUser(ports, about.repo, pull);
      return undefined;
    case "ignore":
      await ignored(ports, command.which, about);
      await closePull(ports, about.repo, pull, {
        reason: "ignored",
        comment: "It is ignored from now on; `@reeve unignore` offers it again.",
      });
      return undefined;
    case "reopen":
    case "unignore":
      await offerAgain(ports, pull);
      await ports.enqueue([config], command.what);
      return "These versions are offered again.";
  }
}

/** Without a base sha the next run rebuilds it; `recreate` adopts the branch's head, so that foreign commits are dropped. */
async function requestRebuild(
  ports: Pick<Ports, "enqueue" | "host" | "pulls">,
  what: "rebase" | "recreate",
  { pull, config, repo }: CommandTarget,
): Promise<undefined> {
  const repository = await ports.host.open(hostRepoOf(repo));
  const branchHead = what === "recreate" ? await repository.resolve(pull.head_ref) : undefined;
  await ports.pulls.change(pull.id, {
    base_sha: "",
    ...(branchHead === undefined ? {} : { head_sha: branchHead }),
  });
  await ports.enqueue([config], what);
  return undefined;
}

/** `3.x`, `3.1.x`, the exact version, or every version. */
async function ignored(
  ports: Pick<Ports, "configs" | "pulls">,
  which: Extract<CommentCommand, { what: "ignore" }>["which"],
  { pull, config }: CommandTarget,
): Promise<void> {
  const { versioning } = await managerOf(config.package_manager as PackageManager);
  for (const { name, to_version } of await ports.pulls.dependenciesOf(pull)) {
    const [major, minor] = versioning.numbers(to_version) ?? [];
    const versions = {
      dependency: "",
      version: to_version,
      patch: to_version,
      major: major === undefined ? to_version : `${major}.x`,
      minor: minor === undefined ? to_version : `${major}.${minor}.x`,
    };
    await ports.configs.ignore(config.id, name, versions[which]);
  }
}
