/** Catalogs that settings scripts write out: `library("x", "g", "a").versionRef("v")`, `plugin("x", "id").version("1")`. */
import type { GradleToken } from "../../languages/gradle-tokens.js";

interface CatalogCall {
  /** `group:artifact`, or a plugin's id. */
  readonly name: string;
  readonly plugin: boolean;
  /** Where the version stands. */
  readonly at: number;
  /** What `versionRef` refers to. */
  readonly reference: string | undefined;
}

/** The call whose first text is at `at`. */
export function catalogCall(list: readonly GradleToken[], at: number): CatalogCall | undefined {
  const word = list[at - 2]?.value;
  if (list[at - 1]?.value !== "(" || (word !== "library" && word !== "plugin")) return undefined;
  const texts: string[] = [];
  let end = at;
  while (list[end]?.kind === "text") {
    texts.push(list[end]?.value ?? "");
    end += 1;
    if (list[end]?.value !== ",") break;
    end += 1;
  }
  const [close, dot, key, open, version] = list.slice(end, end + 5);
  const plugin = word === "plugin";
  if (texts.length !== (plugin ? 2 : 3) || close?.value !== ")" || dot?.value !== ".")
    return undefined;
  if (!/^version(?:Ref)?$/.test(key?.value ?? "") || open?.value !== "(") return undefined;
  const name = texts.slice(1).join(":");
  const reference = key?.value === "versionRef" ? version?.value : undefined;
  return { name, plugin, at: end + 4, reference };
}
