/** The built-in code host: a folder of repositories, with its own accounts and tokens. */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { UpdatesError } from "../../errors.js";
import { git } from "../../git/git.js";
import { type RefStep, Repository } from "../../git/repository.js";
import type { HostAccount, HostRepo, HostRepoRef } from "../../model.js";
import { type Accounts, asHostAccount } from "../../store/accounts.js";
import type { AccessToken, Account } from "../../store/tables.js";
import type { Caller, CodeHost, HostChecks, MergeRequest, Permission } from "../contract.js";
import { languageOfFiles } from "./language.js";
import { accountsIn, type FoundRepo, isName, reposIn } from "./scan.js";

interface EmbeddedOptions {
  /** Created if missing. */
  readonly root: string;
  readonly accounts: Accounts;
  /** Where the folder is served: `http://127.0.0.1:9100/git`. */
  readonly url: () => string;
}

/** The number of repositories with a live reading process. */
const keptOpen = 32;

export class EmbeddedHost implements CodeHost {
  readonly kind = "embedded";
  readonly root: string;
  readonly #accounts: Accounts;
  readonly #url: () => string;
  readonly #open = new Map<string, Repository>();
  readonly #found = new Map<string, ReadonlyMap<string, FoundRepo>>();
  readonly #listed = new Map<string, readonly HostRepo[]>();

  constructor({ root, accounts, url }: EmbeddedOptions) {
    this.root = root;
    this.#accounts = accounts;
    this.#url = url;
  }

  async identify(token: string): Promise<Caller | undefined> {
    const row = await this.#accounts.token(token);
    return row && { login: row.name, token };
  }

  /** Each folder is an account. */
  async accounts(caller: Caller): Promise<readonly HostAccount[]> {
    const all = await this.everyAccount();
    if (caller.owner) return all.map(asHostAccount);
    const token = await this.#accounts.token(caller.token);
    return all.filter(({ id }) => token && mayEnter(token, id)).map(asHostAccount);
  }

  /** All accounts. Accounts of deleted folders are marked as gone. */
  async everyAccount(): Promise<readonly Account[]> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const [logins, known] = await Promise.all([accountsIn(this.root), this.#accounts.all()]);
    const fresh = logins.filter((login) => !known.some((account) => account.login === login));
    const lost = known.filter(({ login }) => !logins.includes(login));
    if (fresh.length === 0 && lost.length === 0) return known;
    for (const login of fresh) await this.#accounts.keep({ login, type: "org" });
    await this.#accounts.markGone(lost.map(({ id }) => id));
    return this.#accounts.all();
  }

  async repos(_caller: Caller, account: HostAccount): Promise<readonly HostRepo[]> {
    return this.everyRepo(account);
  }

  /** Returns the same object while no repository is added or removed. */
  async everyRepo(account: HostAccount): Promise<readonly HostRepo[]> {
    const { login } = account;
    const before = this.#found.get(login) ?? new Map<string, FoundRepo>();
    const found = await reposIn(this.root, login, before);
    const listed = this.#listed.get(login);
    if (listed && found.size === before.size && [...found.keys()].every((key) => before.has(key))) {
      return listed;
    }
    this.#found.set(login, found);
    const repos = [...found.values()].map((repo) => this.#asHostRepo(repo, account));
    this.#listed.set(login, repos);
    return repos;
  }

  /** Repository ids here are record ids. */
  async repo(): Promise<undefined> {
    return undefined;
  }

  async language(repo: HostRepoRef): Promise<string | undefined> {
    const repository = await this.open(repo);
    const branch = await repository.defaultBranch();
    const head = await repository.resolve(`refs/heads/${branch}`);
    return head === undefined ? undefined : languageOfFiles(await repository.tree(head));
  }

  async permission(caller: Caller, repo: HostRepoRef): Promise<Permission> {
    if (caller.owner) return "admin";
    const [token, account] = await Promise.all([
      this.#accounts.token(caller.token),
      this.#accounts.byLogin(repo.login),
    ]);
    if (!token || !account || !mayEnter(token, account.id)) return "none";
    return token.scope;
  }

  async open({ location }: HostRepoRef): Promise<Repository> {
    const present = this.#open.get(location);
    if (present) {
      this.#open.delete(location);
      this.#open.set(location, present);
      return present;
    }
    const repository = new Repository(location);
    this.#open.set(location, repository);
    const [oldest] = this.#open;
    if (oldest && this.#open.size > keptOpen) {
      this.#open.delete(oldest[0]);
      oldest[1].close();
    }
    return repository;
  }

  async publish(repo: HostRepoRef, steps: readonly RefStep[]): Promise<void> {
    await (await this.open(repo)).moveRefs(steps);
  }

  async openPull(_repo: HostRepoRef, _pull: unknown, suggested: number): Promise<number> {
    return suggested;
  }

  async updatePull(): Promise<void> {}

  async closePull(): Promise<void> {}

  async pull(): Promise<undefined> {
    return undefined;
  }

  /** Only the built-in check examines commits here. */
  async checks(): Promise<HostChecks> {
    return { all: { state: "none" }, required: { state: "none" } };
  }

  async merge(repo: HostRepoRef, request: MergeRequest): Promise<{ readonly sha: string }> {
    return { sha: await mergeLocally(await this.open(repo), request) };
  }

  close(): void {
    for (const repository of this.#open.values()) repository.close();
    this.#open.clear();
  }

  // ------------------------------------------------------------ creating

  /** @throws UpdatesError `name_unfit` or `name_taken` */
  async addAccount(login: string, type: "org" | "user"): Promise<Account> {
    fit(login, "account");
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const made = await mkdir(`${this.root}/${login}`, { recursive: true, mode: 0o700 });
    if (made === undefined) {
      throw new UpdatesError("name_taken", `There is an account "${login}" already.`);
    }
    const account = await this.#accounts.keep({ login, type });
    return account.type === type ? account : this.#accounts.setType(account.id, type);
  }

  /** An empty repository. @throws UpdatesError `name_unfit` or `name_taken` */
  async addRepo(login: string, name: string, defaultBranch: string): Promise<string> {
    fit(login, "account");
    fit(name, "repository");
    const location = join(this.root, login, `${name}.git`);
    const made = await mkdir(location, { recursive: true, mode: 0o700 });
    if (made === undefined) {
      throw new UpdatesError("name_taken", `There is a repository "${login}/${name}" already.`);
    }
    await git(location, ["init", "--quiet", "--bare", `--initial-branch=${defaultBranch}`]);
    return location;
  }

  /** This daemon's address; other daemons serve the shared folder at theirs. */
  addressOf(login: string, name: string): string {
    return `${this.#url()}/${login}/${name}.git`;
  }

  #asHostRepo(repo: FoundRepo, account: HostAccount): HostRepo {
    const { name, location, defaultBranch } = repo;
    return {
      hostId: 0,
      name,
      account,
      location,
      url: this.addressOf(account.login, name),
      private: repo.private,
      fork: false,
      defaultBranch,
    };
  }
}

const mayEnter = (token: AccessToken, accountId: number): boolean =>
  token.account_id === null || token.account_id === accountId;

function fit(name: string, what: string): void {
  if (isName(name) && !name.endsWith(".git")) return;
  throw new UpdatesError(
    "name_unfit",
    `The name of an ${what} has letters, digits, ".", "_" and "-", and no ".git" at its end; got ${JSON.stringify(name)}.`,
  );
}

const author = { name: "Reeve", email: "reeve@localhost" };

/**
 * Merges with one compare-and-swap of refs, without a checkout, and deletes the head's branch. Returns the new sha of the base.
 * @throws UpdatesError `moved` or `conflict`
 */
async function mergeLocally(
  repository: Repository,
  { base, head, headRef, mergeCommit, message, at }: MergeRequest,
): Promise<string> {
  const baseRef = `refs/heads/${base}`;
  const [from, branch] = await Promise.all([
    repository.resolve(baseRef),
    repository.resolve(headRef),
  ]);
  if (from === undefined) throw new UpdatesError("moved", `The branch ${base} no longer exists.`);
  if (branch !== head) throw new UpdatesError("moved", "The branch of the update has moved.");
  if (basename(repository.directory) === ".git" && (await repository.defaultBranch()) === base) {
    throw new UpdatesError(
      "conflict",
      `The branch ${base} is checked out in ${repository.directory}: merge it there.`,
    );
  }
  const to = mergeCommit
    ? await repository.mergeCommit(from, head, message, { ...author, at })
    : await forward(repository, from, head);
  await repository.moveRefs([
    { ref: baseRef, from, to },
    { ref: headRef, from: head, to: undefined },
  ]);
  return to;
}

async function forward(repository: Repository, from: string, head: string): Promise<string> {
  if (await repository.contains(head, from)) return head;
  throw new UpdatesError("moved", "The base has moved; the update must be rebased.");
}
