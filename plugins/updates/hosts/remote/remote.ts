/** A remote code host: REST for accounts, permissions and pull requests, git for objects. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "reeve/plugin";
import { UpdatesError } from "../../errors.js";
import { git } from "../../git/git.js";
import { type RefStep, Repository } from "../../git/repository.js";
import type { HostAccount, HostKind, HostRepo, HostRepoRef } from "../../model.js";
import type {
  Caller,
  CheckedPull,
  CodeHost,
  HostChecks,
  HostPull,
  MergeRequest,
  MergeResult,
  NewHostPull,
  Permission,
} from "../contract.js";
import type { Commenter } from "../events/contract.js";
import { confirmedChecks } from "./checks.js";
import { comparePage, type HostDialect, type TagComparison } from "./dialect.js";
import { gitHubLike } from "./github.js";
import { gitLab } from "./gitlab.js";
import { type Ask, type Budget, Rest, type Since } from "./rest.js";

export interface RemoteOptions {
  readonly kind: Exclude<HostKind, "embedded">;
  /** The REST API, without a trailing slash. */
  readonly url: string;
  /** The token for requests without a caller. */
  readonly token: () => string;
  /** The folder of mirrors. */
  readonly mirrors: string;
  readonly clock: Clock;
}

/** Milliseconds after a fetch during which the mirror counts as current. */
const fresh = 2_000;

/** The number of tag spellings to try. */
const mostTries = 4;

interface VersionRange {
  readonly url: string;
  readonly from: string | undefined;
  readonly to: string;
  readonly tags: (version: string) => readonly string[];
}

interface Mirror {
  readonly repository: Repository;
  /** When it was last fetched, and the current fetch. */
  at: number;
  fetching: Promise<void> | undefined;
  /** The host has commits that the last fetch may lack. */
  outdated: boolean;
}

const dialects = {
  github: gitHubLike("github"),
  gitea: gitHubLike("gitea"),
  gitlab: gitLab,
} as const;

export class RemoteHost implements CodeHost {
  readonly kind: HostKind;
  readonly #options: RemoteOptions;
  readonly #dialect: HostDialect;
  readonly #rest: Rest;
  readonly #mirrors = new Map<number, Mirror>();
  /** Called with a repository's id on the host when a request about it was redirected. */
  onRenamed: ((hostId: number) => void) | undefined;

  constructor(options: RemoteOptions) {
    this.kind = options.kind;
    this.#options = options;
    this.#dialect = dialects[options.kind];
    const { url, clock } = options;
    this.#rest = new Rest({ url, clock, authorization: this.#dialect.authorization });
  }

  async identify(token: string): Promise<Caller | undefined> {
    const login = await this.#dialect.whoami(this.#rest.as(token));
    return login === undefined ? undefined : { login, token };
  }
  accounts({ token }: Caller): Promise<readonly HostAccount[]> {
    return this.#dialect.accounts(this.#rest.as(token));
  }
  repos({ token }: Caller, account: HostAccount): Promise<readonly HostRepo[]> {
    return this.#dialect.repos(this.#rest.as(token), account);
  }
  repo({ token }: Caller, hostId: number): Promise<HostRepo | undefined> {
    return this.#dialect.repo(this.#rest.as(token), hostId);
  }
  permission({ token }: Caller, repo: HostRepoRef): Promise<Permission> {
    return this.#dialect.permission(this.#of(repo, this.#rest.as(token)), repo);
  }
  async language(repo: HostRepoRef): Promise<string | undefined> {
    const { status, body } = await this.#own("GET", this.#dialect.languagesPath(repo));
    const shares = status === 200 ? (body as Readonly<Record<string, number>>) : {};
    const [first] = Object.entries(shares).toSorted(([, a], [, b]) => b - a);
    return first?.[0].toLowerCase();
  }
  openPull(repo: HostRepoRef, pull: NewHostPull): Promise<number> {
    return this.#dialect.openPull(this.#of(repo), repo, pull);
  }
  updatePull(
    repo: HostRepoRef,
    number: number,
    change: { title: string; body: string },
  ): Promise<void> {
    return this.#dialect.updatePull(this.#of(repo), repo, number, change);
  }
  closePull(repo: HostRepoRef, number: number, comment: string): Promise<void> {
    return this.#dialect.closePull(this.#of(repo), repo, number, comment);
  }
  pull(repo: HostRepoRef, number: number): Promise<HostPull | undefined> {
    return this.#dialect.pull(this.#of(repo, this.#fresh), repo, number);
  }
  checks(repo: HostRepoRef, pull: CheckedPull): Promise<HostChecks> {
    return confirmedChecks(
      () => this.#dialect.checks(this.#of(repo), repo, pull),
      () => this.#dialect.checks(this.#of(repo, this.#fresh), repo, pull),
    );
  }

  async merge(repo: HostRepoRef, request: MergeRequest): Promise<MergeResult> {
    const result = await this.#dialect.merge(this.#of(repo), repo, request);
    if (result === "queued") return result;
    this.outdate(repo.hostId);
    // The host may delete the branch itself; a remaining branch is harmless.
    const gone = { ref: request.headRef, from: request.head, to: undefined };
    await this.publish(repo, [gone]).catch(() => undefined);
    return result;
  }

  comment(repo: HostRepoRef, number: number, text: string): Promise<void> {
    return this.#dialect.comment(this.#of(repo), repo, number, text);
  }
  permissionOf(repo: HostRepoRef, commenter: Commenter): Promise<Permission> {
    return this.#dialect.permissionOf(this.#of(repo), repo, commenter);
  }

  /** The rate limit, as last reported by the host. */
  get budget(): Budget | undefined {
    return this.#rest.budget;
  }

  /** The head of a branch; `undefined` if there is no such branch. */
  async headSince(
    repo: HostRepoRef,
    branch: string,
    etag: string | undefined,
  ): Promise<Since<string | undefined>> {
    const path = this.#dialect.branchPath(repo, branch);
    const answer = await this.#rest.since(this.#options.token(), path, etag);
    if (answer.kind === "same") return answer;
    const { status, body } = answer.found;
    return { ...answer, found: status === 200 ? this.#dialect.headIn(body) : undefined };
  }

  /** Heads of the newest hundred open pull requests, by number. */
  async openSince(
    repo: HostRepoRef,
    etag: string | undefined,
  ): Promise<Since<ReadonlyMap<number, string>>> {
    const path = this.#dialect.openPath(repo);
    const answer = await this.#rest.since(this.#options.token(), path, etag);
    if (answer.kind === "same") return answer;
    const { status, body } = answer.found;
    const open = status === 200 ? this.#dialect.openIn(body) : [];
    return { ...answer, found: new Map(open.map(({ number, head }) => [number, head])) };
  }

  /**
   * Compares tags of a repository on the same host. The configured token reads it, so only public repositories and those of
   * `login` are allowed.
   */
  async compareTags(
    { url, from, to, tags }: VersionRange,
    login: string,
  ): Promise<(TagComparison & { url: string; compare?: string }) | undefined> {
    const { hostname, pathname } = new URL(url);
    const own = new URL(this.#options.url).hostname.replace(/^api\.(?=github\.com$)/, "");
    const path = pathname.replace(/^\/|\/$/g, "");
    if (hostname !== own || !/^[\w.-]+(\/[\w.-]+)+$/.test(path)) return undefined;
    const isTheirs = login !== "" && path.startsWith(`${login}/`);
    if (!isTheirs && !(await this.#dialect.isPublic(this.#own, path))) return undefined;
    const before = from === undefined ? [] : tags(from);
    for (const [index, tag] of tags(to).slice(0, mostTries).entries()) {
      const comparison = await this.#dialect.compareTags(this.#own, path, before[index], tag);
      if (!comparison) continue;
      return { ...comparison, url, ...comparePage(this.kind, url, comparison, before[index], tag) };
    }
    return undefined;
  }

  /** The owner of the configured token. */
  get self(): Caller {
    return { login: "", token: this.#options.token() };
  }

  /** Forces the next `open` to fetch, even while a fetch is running. */
  outdate(hostId: number): void {
    const mirror = this.#mirrors.get(hostId);
    if (mirror) mirror.outdated = true;
  }

  /** Fetches first; concurrent calls share one fetch. */
  async open(repo: HostRepoRef): Promise<Repository> {
    const mirror = this.#mirrors.get(repo.hostId) ?? (await this.#mirror(repo));
    const { clock } = this.#options;
    if (mirror.outdated) await mirror.fetching?.catch(() => undefined);
    if (mirror.outdated || clock.now() - mirror.at > fresh) {
      mirror.outdated = false;
      mirror.fetching ??= this.#fetch(repo, mirror).finally(() => {
        mirror.fetching = undefined;
      });
      await mirror.fetching;
    }
    return mirror.repository;
  }

  async publish(repo: HostRepoRef, steps: readonly RefStep[]): Promise<void> {
    const { repository } = this.#mirrors.get(repo.hostId) ?? (await this.#mirror(repo));
    const leases = steps.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ""}`);
    const changes = steps.map(({ ref, to }) => `${to ?? ""}:${ref}`);
    const args = ["push", "--quiet", "--atomic", ...leases, "--", repo.location, ...changes];
    try {
      await git(repository.directory, args, { settings: this.#credentials(repo) });
    } catch (cause) {
      // The branch has commits of others, or an earlier push has arrived after all.
      this.outdate(repo.hostId);
      const [first] = steps;
      const what = `Cannot push the branch ${first?.ref.replace("refs/heads/", "")}: ${(cause as Error).message}`;
      throw new UpdatesError("moved", what, { cause });
    }
    for (const { ref, to } of steps) {
      const present = await repository.resolve(ref);
      if (present !== to) await repository.moveRefs([{ ref, from: present, to }]);
    }
  }

  close(): void {
    for (const { repository } of this.#mirrors.values()) repository.close();
    this.#mirrors.clear();
  }

  get #own(): Ask {
    return this.#rest.as(this.#options.token());
  }

  /** Reports a repository whose address has moved. */
  #of({ hostId }: HostRepoRef, ask = this.#own): Ask {
    return async (method, path, body) => {
      const answer = await ask(method, path, body);
      if (answer.isMoved) this.onRenamed?.(hostId);
      return answer;
    };
  }

  get #fresh(): Ask {
    return this.#rest.fresh(this.#options.token());
  }

  async #mirror({ hostId }: HostRepoRef): Promise<Mirror> {
    const directory = join(this.#options.mirrors, `${this.kind}-${hostId}.git`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await git(directory, ["init", "--quiet", "--bare"]);
    const mirror = {
      repository: new Repository(directory),
      at: 0,
      fetching: undefined,
      outdated: false,
    };
    this.#mirrors.set(hostId, mirror);
    return mirror;
  }

  async #fetch(repo: HostRepoRef, mirror: Mirror): Promise<void> {
    const refs = "+refs/heads/*:refs/heads/*";
    const args = ["fetch", "--quiet", "--prune", "--no-tags", "--", repo.location, refs];
    try {
      await git(mirror.repository.directory, args, { settings: this.#credentials(repo) });
    } catch (cause) {
      const what = `${repo.login}/${repo.name}: ${(cause as Error).message}`;
      throw new UpdatesError("host_unreachable", what, { cause, retryAfter: 30_000 });
    }
    mirror.at = this.#options.clock.now();
  }

  /** Passed in the environment, hidden from process lists; sent to this origin only. */
  #credentials({ location }: HostRepoRef): Readonly<Record<string, string>> {
    const pair = `${this.#dialect.gitUser}:${this.#options.token()}`;
    const header = `Authorization: Basic ${Buffer.from(pair).toString("base64")}`;
    return { [`http.${new URL(location).origin}/.extraHeader`]: header };
  }
}
