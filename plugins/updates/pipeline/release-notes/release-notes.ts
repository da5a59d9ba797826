/** Finds release notes, changelogs and commits for pull requests. Best effort: never fails a run, and never delays it for long. */
import type { Update } from "../../decide/contract.js";
import { EmbeddedHost } from "../../hosts/embedded/embedded.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import type { Manager, SourceRepository } from "../../managers/contract.js";
import { hostRepoOf, type NamedRepo } from "../../store/repos.js";
import type { Ports } from "../ports.js";
import type { CheckCount, ReleaseNotes, ReleaseNotesSource, VersionStep } from "./contract.js";
import { localReleaseNotes } from "./local.js";

/** Milliseconds, counted from the start of the lock file's refresh. */
const patience = 1_500;
const mostDependencies = 10;
const mostKept = 200;

/** Milliseconds that a count is valid: one release may concern a thousand repositories. */
const fresh = 30_000;

export class ReleaseNotesFinder implements ReleaseNotesSource {
  readonly #ports: Pick<Ports, "clock" | "directory" | "host" | "managers" | "pulls">;
  readonly #counted = new Map<string, { readonly checked: CheckCount; readonly at: number }>();
  readonly #cache = new Map<string, Promise<ReleaseNotes | undefined>>();

  constructor(ports: Pick<Ports, "clock" | "directory" | "host" | "managers" | "pulls">) {
    this.#ports = ports;
  }

  async of(
    manager: Manager,
    repo: NamedRepo,
    updates: readonly Update[],
  ): Promise<ReadonlyMap<string, ReleaseNotes>> {
    const found = new Map<string, ReleaseNotes>();
    const all = updates.slice(0, mostDependencies).map(async (update) => {
      const notes = await this.#once(manager, repo, update).catch(() => undefined);
      if (notes) found.set(update.change.dependency.name, notes);
    });
    const stop = new AbortController();
    const late = this.#ports.clock.sleep(patience, stop.signal).catch(() => undefined);
    await Promise.race([Promise.all(all), late]);
    stop.abort();
    return new Map(found);
  }

  async elsewhere(
    { id }: Manager,
    updates: readonly Update[],
  ): Promise<ReadonlyMap<string, CheckCount>> {
    const now = this.#ports.clock.now();
    const counts = updates.map(async ({ change, from, to }) => {
      const { name } = change.dependency;
      const key = JSON.stringify([id, name, from, to]);
      const known = this.#counted.get(key);
      if (known && now - known.at < fresh) return [name, known.checked] as const;
      const checked = await this.#ports.pulls.checked(id, name, from, to);
      if (this.#counted.size >= mostKept) this.#counted.clear();
      this.#counted.set(key, { checked, at: now });
      return [name, checked] as const;
    });
    return new Map(await Promise.all(counts));
  }

  #once(manager: Manager, repo: NamedRepo, update: Update): Promise<ReleaseNotes | undefined> {
    const { change, from, to } = update;
    const { name, origin } = change.dependency;
    // Visibility depends on the repository that receives the notes.
    const key = JSON.stringify([
      manager.id,
      name,
      origin,
      from,
      to,
      repo.private === 1 && repo.account_id,
    ]);
    const known = this.#cache.get(key);
    if (known !== undefined) return known;
    if (this.#cache.size >= mostKept) this.#cache.clear();
    const pending = this.#find(manager, repo, update);
    this.#cache.set(key, pending);
    // Failures are retried next time.
    pending.then(
      (notes) => notes ?? this.#cache.delete(key),
      () => this.#cache.delete(key),
    );
    return pending;
  }

  async #find(
    manager: Manager,
    repo: NamedRepo,
    { change, from, to }: Update,
  ): Promise<ReleaseNotes | undefined> {
    const { dependency } = change;
    const source = await manager.source?.(dependency, change.to, this.#ports.managers.lookup);
    if (!source) return undefined;
    const { versioning } = manager;
    const step: VersionStep = {
      ...{ url: source.url, from, to, directory: source.directory },
      tags: (version) => tagsOf(dependency.name, version),
      isOld: (version) =>
        from !== undefined &&
        versioning.isVersion(version) &&
        versioning.isVersion(from) &&
        versioning.compare(version, from) <= 0,
    };
    const { host } = this.#ports;
    if (host instanceof RemoteHost)
      return host.compareTags(step, repo.private === 1 ? repo.login : "");
    return host instanceof EmbeddedHost ? this.#findLocal(repo, source, step) : undefined;
  }

  /** Only public repositories, or private ones of the same account for a private repository. */
  async #findLocal(
    repo: NamedRepo,
    { url }: SourceRepository,
    step: VersionStep,
  ): Promise<ReleaseNotes | undefined> {
    const [, login, name] =
      /\/git\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(new URL(url).pathname) ?? [];
    if (login === undefined || name === undefined) return undefined;
    const theirs = await this.#ports.directory.named(this.#ports.host, login, name);
    if (!theirs) return undefined;
    const isVisible =
      theirs.private === 0 || (repo.private === 1 && theirs.account_id === repo.account_id);
    if (!isVisible) return undefined;
    return localReleaseNotes(await this.#ports.host.open(hostRepoOf(theirs)), step);
  }
}

/** Common tag names: `v1.2.3`, `1.2.3`, `thing@1.2.3`, `thing-v1.2.3`. */
function tagsOf(name: string, version: string): readonly string[] {
  const bare = version.replace(/^v(?=\d)/, "");
  const last = name.split("/").at(-1) ?? name;
  return [
    ...new Set([
      ...[version, `v${bare}`, bare, `${name}@${bare}`, `${last}@${bare}`],
      ...[`${last}-v${bare}`, `${last}-${bare}`, `${last}/v${bare}`],
    ]),
  ];
}
