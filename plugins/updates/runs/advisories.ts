/** Known holes, by package manager and name. */
import type { Advisory } from "../advisories/contract.js";
import { managerNames, type PackageManager } from "../engine.js";

export class Advisories {
  /** By ecosystem and name. */
  #known: ReadonlyMap<string, readonly Advisory[]> = new Map();

  /** Takes the place of all that was known. */
  replace(advisories: readonly Advisory[]): void {
    const known = new Map<string, Advisory[]>();
    for (const advisory of advisories) {
      const { ecosystem, name } = advisory.affected;
      const key = `${ecosystem}\n${name.toLowerCase()}`;
      const list = known.get(key) ?? [];
      list.push(advisory);
      known.set(key, list);
    }
    this.#known = known;
  }

  of(manager: PackageManager): (name: string) => readonly Advisory[] {
    const { ecosystem } = managerNames[manager];
    if (ecosystem === undefined) return () => [];
    return (name) => this.#known.get(`${ecosystem}\n${name.toLowerCase()}`) ?? [];
  }
}
