/** Where something has happened since somebody last asked. */

/** More names than that are not worth telling apart. */
const NAMES = 1_000;

export interface PathChange {
  /** Whether it may have been anywhere: something was lost, or nothing more is known. */
  readonly everywhere: boolean;
  /** Names by the directory they are in. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
}

export const isSomething = ({ everywhere, names }: PathChange): boolean =>
  everywhere || names.size > 0;

export class ChangedPaths implements PathChange {
  readonly names = new Map<string, Set<string>>();
  everywhere: boolean;
  #count = 0;

  constructor(everywhere = false) {
    this.everywhere = everywhere;
  }

  /** Without a name: something that concerns the directory as such. */
  add(directory: string, name: string | null): void {
    if (this.everywhere) return;
    this.#count += 1;
    if (name === null || this.#count > NAMES) {
      this.addEverything();
      return;
    }
    const names = this.names.get(directory);
    if (names) names.add(name);
    else this.names.set(directory, new Set([name]));
  }

  addEverything(): void {
    this.everywhere = true;
    this.names.clear();
  }

  /** As if it had happened here, too. */
  join({ everywhere, names }: PathChange): void {
    if (everywhere) this.addEverything();
    for (const [directory, those] of names) for (const name of those) this.add(directory, name);
  }
}
