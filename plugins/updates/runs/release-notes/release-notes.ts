/** Release notes, changelog and commits for pull requests. A courtesy: nothing here fails a run, or holds it up for long. */
import type { Manager, SourceRepository, Update } from "../../engine.js";
import { EmbeddedHost } from "../../hosts/embedded/embedded.js";
import { RemoteHost } from "../../hosts/remote/remote.js";
import type { UpdatesRuntime } from "../../runtime.js";
import { type NamedRepo, placeOf } from "../../store/repos.js";
import type { ReleaseNotes, Step } from "./contract.js";
import { localStory } from "./local.js";

/** Milliseconds that a pull request waits for it, counted from before its lock file is refreshed. */
const patience = 1_500;
const mostTold = 10;
const mostKept = 200;

/** Milliseconds that a count of results holds: a release may be of a thousand repositories. */
const fresh = 30_000;

interface Checked {
  readonly passed: number;
  readonly all: number;
}

export class ReleaseNotesFinder {
  readonly #service: UpdatesRuntime;
  readonly #counted = new Map<string, { readonly checked: Checked; readonly at: number }>();
  readonly #told = new Map<string, Promise<ReleaseNotes | undefined>>();

  constructor(service: UpdatesRuntime) {
    this.#service = service;
  }

  /** By name of the dependency; those that could be had in time. Never rejects. */
  async of(
    manager: Manager,
    repo: NamedRepo,
    updates: readonly Update[],
  ): Promise<ReadonlyMap<string, ReleaseNotes>> {
    const found = new Map<string, ReleaseNotes>();
    const all = updates.slice(0, mostTold).map(async (update) => {
      const story = await this.#once(manager, repo, update).catch(() => undefined);
      if (story) found.set(update.change.dependency.name, story);
    });
    const stop = new AbortController();
    const late = this.#service.context.clock.sleep(patience, stop.signal).catch(() => undefined);
    await Promise.race([Promise.all(all), late]);
    stop.abort();
    return new Map(found);
  }

  /** Of the same updates in other repositories, by name: how many had passing checks. */
  async elsewhere(
    { id }: Manager,
    updates: readonly Update[],
  ): Promise<ReadonlyMap<string, Checked>> {
    const { store, context } = this.#service;
    const now = context.clock.now();
    const counts = updates.map(async ({ change, from, to }) => {
      const { name } = change.dependency;
      const key = JSON.stringify([id, name, from, to]);
      const known = this.#counted.get(key);
      if (known && now - known.at < fresh) return [name, known.checked] as const;
      const checked = await store.pulls.checked(id, name, from, to);
      if (this.#counted.size >= mostKept) this.#counted.clear();
      this.#counted.set(key, { checked, at: now });
      return [name, checked] as const;
    });
    return new Map(await Promise.all(counts));
  }

  #once(manager: Manager, repo: NamedRepo, update: Update): Promise<ReleaseNotes | undefined> {
    const { change, from, to } = update;
    const { name, origin } = change.dependency;
    // What may be told depends on whose repository it is told in.
    const key = JSON.stringify([
      manager.id,
      name,
      origin,
      from,
      to,
      repo.private === 1 && repo.account_id,
    ]);
    const known = this.#told.get(key);
    if (known !== undefined) return known;
    if (this.#told.size >= mostKept) this.#told.clear();
    const told = this.#story(manager, repo, update);
    this.#told.set(key, told);
    // What could not be had now may be had the next time.
    told.then(
      (story) => story ?? this.#told.delete(key),
      () => this.#told.delete(key),
    );
    return told;
  }

  async #story(
    manager: Manager,
    repo: NamedRepo,
    { change, from, to }: Update,
  ): Promise<ReleaseNotes | undefined> {
    const { dependency } = change;
    const source = await manager.source?.(dependency, change.to, this.#service.engine.lookup);
    if (!source) return undefined;
    const { versioning } = manager;
    const step: Step = {
      ...{ url: source.url, from, to, directory: source.directory },
      tags: (version) => tagsOf(dependency.name, version),
      isOld: (version) =>
        from !== undefined &&
        versioning.isVersion(version) &&
        versioning.isVersion(from) &&
        versioning.compare(version, from) <= 0,
    };
    const { host } = this.#service;
    if (host instanceof RemoteHost) return host.story(step, repo.private === 1 ? repo.login : "");
    return host instanceof EmbeddedHost ? this.#here(repo, source, step) : undefined;
  }

  /** Only of what everybody may read, or what belongs to the account of a repository that is as private. */
  async #here(
    repo: NamedRepo,
    { url }: SourceRepository,
    step: Step,
  ): Promise<ReleaseNotes | undefined> {
    const [, login, name] =
      /\/git\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(new URL(url).pathname) ?? [];
    if (login === undefined || name === undefined) return undefined;
    const theirs = await this.#service.repoNamed(login, name);
    if (!theirs) return undefined;
    const mayBeTold =
      theirs.private === 0 || (repo.private === 1 && theirs.account_id === repo.account_id);
    if (!mayBeTold) return undefined;
    return localStory(await this.#service.host.open(placeOf(theirs)), step);
  }
}

/** As people tag: `v1.2.3`, `1.2.3`, `thing@1.2.3`, `thing-v1.2.3`. */
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
