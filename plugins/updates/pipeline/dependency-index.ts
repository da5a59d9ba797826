/** The dependency index: the dependencies of every config as of its branch's last indexed commit. */

import type { Repository } from "../git/repository.js";
import type { CodeHost } from "../hosts/contract.js";
import type {
  Manager,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
} from "../managers/contract.js";
import { managerOf, type PackageManager } from "../managers/index.js";
import type { Configs } from "../store/configs.js";
import { hostRepoOf, type NamedRepo } from "../store/repos.js";
import type { Config } from "../store/tables.js";
import { readSources } from "./sources.js";

/** A project as its manager parses it at one commit. */
export interface IndexedProject {
  readonly repository: Repository;
  readonly branch: string;
  readonly commit: string;
  readonly sources: ProjectSources;
  /** Whether the directory has a manifest. */
  readonly present: boolean;
  readonly found: ParsedProject;
  /** The unreadable files, one sentence each. */
  readonly readError: string | undefined;
}

export interface IndexOptions {
  readonly configs: Configs;
  readonly host: () => CodeHost;
  readonly settings: () => ManagerSettings;
}

export class DependencyIndex {
  readonly #options: IndexOptions;

  constructor(options: IndexOptions) {
    this.#options = options;
  }

  /** `undefined` if there is no such branch. @throws UpdatesError if the repository cannot be read */
  async read(
    repo: NamedRepo,
    manager: Manager,
    directory: string,
    branch: string,
  ): Promise<IndexedProject | undefined> {
    const { host, settings } = this.#options;
    const repository = await host().open(hostRepoOf(repo));
    const commit = await repository.resolve(`refs/heads/${branch}`);
    if (commit === undefined) return undefined;
    const { sources, present, unreadable } = await readSources(repository, commit, manager, {
      ...{ directory, url: repo.place, settings: settings() },
    });
    const found = manager.parse(sources, settings());
    const readErrors = [...unreadable, ...found.broken.map(({ file, why }) => `${file}: ${why}`)];
    return {
      repository,
      branch,
      commit,
      sources,
      present,
      found,
      readError: readErrors.length === 0 ? undefined : readErrors.join(" "),
    };
  }

  /** Reads the config's project, and indexes it if its commit is new. */
  async refresh(config: Config, repo: NamedRepo): Promise<IndexedProject | undefined> {
    const manager = await managerOf(config.package_manager as PackageManager);
    const branch = config.target_branch || repo.default_branch;
    const read = await this.read(repo, manager, config.directory, branch);
    // The files of patterns depend on the instance's settings, too.
    const isNew = read?.commit !== config.indexed_at || manager.id === "patterns";
    if (read && isNew) await this.write(config, read);
    return read;
  }

  write(config: Config, { commit, found, readError }: IndexedProject): Promise<void> {
    return this.#options.configs.index(config, commit, found, readError);
  }
}
