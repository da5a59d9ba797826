/** Lists accounts, and the repositories of an account. */
import { accountSettings } from "../blocks/settings.js";
import { addressOf } from "../hosts/address.js";
import type { Caller } from "../hosts/contract.js";
import type { Ports } from "../pipeline/ports.js";
import { hostRepoOf, type NamedRepo } from "../store/repos.js";
import type { Config } from "../store/tables.js";
import type { AccessPorts } from "./configs.js";
import { ApiError } from "./errors.js";
import { type ApiRequest, invalidParameter, parameter, wholeParameter } from "./request.js";
import { accountResource, configResource, repoResource } from "./resources.js";

/** Inactive repositories per page. */
const pageLength = 100;

export async function listAccounts(
  ports: Pick<Ports, "directory" | "host" | "settings">,
  caller: Caller,
) {
  const accounts = await ports.directory.accounts(ports.host, caller);
  const { settings } = ports;
  return {
    data: accounts.map((account) =>
      accountResource(account, accountSettings(settings, account.login), settings.attributeNames),
    ),
  };
}

export async function listRepos(
  ports: AccessPorts & Pick<Ports, "directory" | "settings">,
  caller: Caller,
  request: ApiRequest,
) {
  const state = parameter(request, "installation-state");
  if (state !== "active" && state !== "inactive") {
    throw invalidParameter(
      "installation-state",
      "The parameter installation-state is required and must be active or inactive.",
    );
  }
  const hostId = wholeParameter(request, "account-id");
  if (hostId === undefined) {
    throw invalidParameter("account-id", "The parameter account-id is required.");
  }
  const type = parameter(request, "account-type");
  if (type !== "org" && type !== "user") {
    throw invalidParameter("account-type", "The parameter account-type must be org or user.");
  }
  const page = wholeParameter(request, "page") ?? 1;
  const accounts = await ports.directory.accounts(ports.host, caller);
  const account = accounts.find((each) => each.host_id === hostId && each.type === type);
  if (!account) {
    throw new ApiError(403, "The token does not belong to a member of this account.", {
      code: "forbidden",
    });
  }
  await ports.directory.refresh(ports.host, caller, account);
  const { repos: store, configs } = ports;
  const paged = state === "inactive";
  const window = { offset: (page - 1) * pageLength, limit: pageLength };
  const listed = await store.listed(account.id, state, paged ? window : undefined);
  const repos =
    ports.host.kind === "embedded"
      ? listed
      : (
          await Promise.all(
            listed.map(async (repo) =>
              (await ports.access.may(ports.host, caller, hostRepoOf(repo), "read")) ? [repo] : [],
            ),
          )
        ).flat();
  const named = await withLanguages(ports, repos);
  const included = state === "active" ? await configs.ofAccount(account.id) : [];
  const byRepo = new Map<number, Config[]>();
  for (const config of included) {
    byRepo.set(config.repo_id, [...(byRepo.get(config.repo_id) ?? []), config]);
  }
  const total = paged ? await store.count(account.id, state) : repos.length;
  const pages = paged ? Math.max(Math.ceil(total / pageLength), 1) : 1;
  return {
    data: named.map((repo) =>
      repoResource(
        { ...repo, url: addressOf(ports.host, repo) },
        byRepo.get(repo.id) ?? [],
        ports.settings.attributeNames,
      ),
    ),
    included: included.map(configResource),
    meta: {
      pages: {
        next: paged && page < pages ? page + 1 : null,
        prev: paged && page > 1 ? page - 1 : null,
        total: pages,
      },
      total,
    },
  };
}

/** Repositories whose language is read at the same time. */
const atOnce = 8;

/** Reads and records languages that the host's list does not have; an empty one is known to be missing. */
async function withLanguages(
  { host, repos: store }: Pick<Ports, "host" | "repos">,
  repos: readonly NamedRepo[],
): Promise<readonly NamedRepo[]> {
  const unknown = repos.filter(({ language }) => language === null);
  const found = new Map<number, string>();
  for (let at = 0; at < unknown.length; at += atOnce)
    await Promise.all(
      unknown.slice(at, at + atOnce).map(async (repo) => {
        const language = await host.language(hostRepoOf(repo)).then(
          (name) => name ?? "",
          // The next list reads it again.
          () => undefined,
        );
        if (language === undefined) return;
        found.set(repo.id, language);
        await store.change(repo.id, { language });
      }),
    );
  return repos.map((repo) => ({ ...repo, language: found.get(repo.id) ?? repo.language }));
}
