/** Where a build uses the entries of version catalogs: `implementation(libs.acme.thing)`, `testImplementation libs.bundles.tests`. */
import type { GradleToken } from "../../languages/gradle-tokens.js";
import { isCalled, WRAPPERS } from "./declarations.js";

interface Use {
  /** The configuration. */
  readonly section: string;
  readonly platform: boolean;
}

/** By the accessor without the name of its catalog: `acme.thing`, `bundles.tests`. */
export type Uses = ReadonlyMap<string, readonly Use[]>;

/** `acme-thing_core` is `acme.thing.core` in scripts. */
export const accessorOf = (alias: string): string => alias.replace(/[-_]/g, ".");

export function usesIn(lists: Iterable<readonly GradleToken[]>): Uses {
  const found = new Map<string, Use[]>();
  for (const list of lists)
    for (const [at, token] of list.entries()) {
      if (token.kind !== "word" || list[at - 1]?.value === ".") continue;
      const words: string[] = [];
      for (let dot = at + 1; list[dot]?.value === "." && list[dot + 1]?.kind === "word"; dot += 2)
        words.push(list[dot + 1]?.value ?? "");
      while (/^(?:get|asProvider)$/.test(words.at(-1) ?? "")) words.pop();
      const use = words.length > 0 && usedIn(list, at);
      if (!use) continue;
      const name = words.join(".");
      found.set(name, [...(found.get(name) ?? []), use]);
    }
  return found;
}

/** The nearest word before `at` that is given something, not a part of what is given. */
function usedIn(list: readonly GradleToken[], at: number): Use | undefined {
  let platform = false;
  for (let before = at - 1; before >= Math.max(0, at - 60); before -= 1) {
    const { kind, value } = list[before] ?? {};
    if (kind === "sign" && /[{};=]/.test(value ?? "")) return undefined;
    if (isCalled(list, before)) return { section: value ?? "", platform };
    const next = list[before + 1];
    const part =
      list[before - 1]?.value === "." || (next?.kind === "sign" && /[.,)]/.test(next.value));
    if (kind !== "word" || part || value === undefined) continue;
    if (/platform$/i.test(value)) platform = true;
    else if (value === "add" && list[before + 2]?.kind === "text")
      return { section: list[before + 2]?.value ?? value, platform };
    else if (!WRAPPERS.has(value)) return { section: value, platform };
  }
  return undefined;
}
