/** Keeps the records of accounts and repositories in step with the code host. */

import type { HostAccount, HostRepo } from "../model.js";
import { type Accounts, asHostAccount } from "../store/accounts.js";
import { hostRepoOf, type NamedRepo, type Repos } from "../store/repos.js";
import type { Account } from "../store/tables.js";
import { type Caller, type CodeHost, mayAtLeast } from "./contract.js";
import { EmbeddedHost } from "./embedded/embedded.js";

export class RepositoryDirectory {
  readonly #accounts: Accounts;
  readonly #repos: Repos;
  /** The last recorded list of each account. */
  readonly #written = new Map<number, readonly HostRepo[]>();

  constructor(accounts: Accounts, repos: Repos) {
    this.#accounts = accounts;
    this.#repos = repos;
  }

  /** The accounts that the caller may see, by login. */
  async accounts(host: CodeHost, caller: Caller): Promise<readonly Account[]> {
    const listed = await host.accounts(caller);
    return Promise.all(listed.map((account) => this.#kept(host, account)));
  }

  /** Updates the records of the account's repositories. */
  async refresh(host: CodeHost, caller: Caller, account: Account): Promise<void> {
    const listed = await host.repos(caller, asHostAccount(account));
    if (this.#written.get(account.id) === listed) return;
    const known = new Map((await this.#repos.all(account.id)).map((repo) => [repo.name, repo]));
    const names = new Set(listed.map(({ name }) => name));
    for (const repo of listed) {
      const before = known.get(repo.name);
      if (!before || differs(host, before, repo)) await this.#repos.keep(account, ours(host, repo));
    }
    // On remote hosts the list depends on the caller; only the embedded host's is complete.
    if (host.kind === "embedded") {
      for (const [name, { id }] of known)
        if (!names.has(name)) await this.#repos.change(id, { gone: 1 });
    }
    this.#written.set(account.id, listed);
  }

  /** By its id on the host, if the caller may see it. */
  async repo(host: CodeHost, caller: Caller, hostId: number): Promise<NamedRepo | undefined> {
    const found =
      (await this.#repos.byHost(hostId)) ?? (await this.#discovered(host, caller, hostId));
    if (!found) return undefined;
    const permission = await host.permission(caller, hostRepoOf(found));
    return mayAtLeast(permission, "read") ? found : undefined;
  }

  /** By account and name; the embedded host is scanned if there is no record. */
  async named(host: CodeHost, login: string, name: string): Promise<NamedRepo | undefined> {
    const known = await this.#repos.byName(login, name);
    if (known || !(host instanceof EmbeddedHost)) return known;
    const account = (await host.everyAccount()).find((each) => each.login === login);
    if (!account) return undefined;
    await this.refresh(host, { login: "", token: "" }, account);
    return this.#repos.byName(login, name);
  }

  /** Records the repository's present name and address on a remote host. */
  async rerecord(host: CodeHost, caller: Caller, hostId: number): Promise<void> {
    await this.#discovered(host, caller, hostId);
  }

  async #discovered(
    host: CodeHost,
    caller: Caller,
    hostId: number,
  ): Promise<NamedRepo | undefined> {
    if (host.kind === "embedded") {
      for (const account of await this.accounts(host, caller)) {
        await this.refresh(host, caller, account);
      }
      return this.#repos.byHost(hostId);
    }
    const repo = await host.repo(caller, hostId);
    if (!repo) return undefined;
    const account = await this.#kept(host, repo.account);
    await this.#repos.keep(account, ours(host, repo));
    return this.#repos.byHost(hostId);
  }

  async #kept(host: CodeHost, account: HostAccount): Promise<Account> {
    const known = await this.#accounts.byLogin(account.login);
    if (known?.gone === 0 && known.host_id === account.hostId && known.type === account.type) {
      return known;
    }
    const { login, type, hostId } = account;
    return this.#accounts.keep(
      host.kind === "embedded" ? { login, type } : { login, type, hostId },
    );
  }
}

/** The embedded host has no ids of its own. */
function ours(host: CodeHost, repo: HostRepo): Parameters<Repos["keep"]>[1] {
  const { hostId, account: _account, ...rest } = repo;
  return host.kind === "embedded" ? rest : { ...rest, hostId };
}

/** The clone URL of an embedded repository depends on the daemon. */
const differs = (host: CodeHost, before: NamedRepo, now: HostRepo): boolean =>
  before.place !== now.location ||
  (host.kind !== "embedded" && before.host_id !== now.hostId) ||
  (host.kind !== "embedded" && before.url !== now.url) ||
  before.default_branch !== now.defaultBranch ||
  before.private !== (now.private ? 1 : 0);
