/** Target frameworks, and which of the groups of a package's needs is for a project: the nearest of those that it can use. */

type Family = "core" | "standard" | "framework";

export interface Framework {
  readonly family: Family;
  readonly version: readonly [number, number, number];
  /** `windows7.0` of `net8.0-windows7.0`. */
  readonly platform: string;
}

/** Incompatible with projects of .NET, .NET Standard and .NET Framework. */
const ELSEWHERE =
  /^(?:uap|\.?netcore(?!app)|win|wp|wpa|sl|silverlight|mono|xamarin|tizen|native|windows|net[cm]f|\.netmicroframework)/i;

const FAMILIES: ReadonlyMap<string, Family> = new Map([
  ["netcoreapp", "core"],
  ["netstandard", "standard"],
  ["netframework", "framework"],
]);

export type ReadFramework = Framework | "any" | "elsewhere" | undefined;

/** Parses a framework of a lock file (`net8.0`, `.NETCoreApp,Version=v3.1`) or a package (`.NETStandard2.0`); undefined if unknown. */
export function readFramework(text: string): ReadFramework {
  const name = text.trim();
  if (/^(?:any)?$/i.test(name)) return "any";
  const long =
    /^\.?(net(?:coreapp|standard|framework))(?:, ?version=v?)?(\d+(?:\.\d+){0,3})$/i.exec(name);
  if (long) return framework(FAMILIES.get((long[1] ?? "").toLowerCase()), long[2] ?? "");
  const short = /^net(\d+(?:\.\d+){0,3})(?:-([a-z]+[\d.]*))?$/i.exec(name);
  if (!short) return ELSEWHERE.test(name) ? "elsewhere" : undefined;
  const [, number = "", platform = ""] = short;
  const isDotted = number.includes(".");
  const version = isDotted ? number : [...number].join(".");
  const isCore = isDotted && Number.parseInt(number, 10) >= 5;
  if (platform !== "" && !isCore) return undefined;
  return framework(isCore ? "core" : "framework", version, platform.toLowerCase());
}

function framework(family: Family | undefined, text: string, platform = ""): Framework | undefined {
  // `netstandard20`, as some write.
  const dotted = text.includes(".") || text.length === 1 ? text : [...text].join(".");
  const [major = 0, minor = 0, patch = 0, more = 0] = dotted.split(".").map(Number);
  return family && more === 0 ? { family, version: [major, minor, patch], platform } : undefined;
}

function compare(a: Framework["version"], b: Framework["version"]): number {
  for (const [index, number] of a.entries()) {
    const order = number - (b[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

/** The supported .NET Standard version, by framework version. */
const STANDARDS: Readonly<
  Record<Family, ReadonlyArray<readonly [Framework["version"], Framework["version"]]>>
> = {
  standard: [],
  core: [
    [
      [3, 0, 0],
      [2, 1, 0],
    ],
    [
      [2, 0, 0],
      [2, 0, 0],
    ],
    [
      [1, 0, 0],
      [1, 6, 0],
    ],
  ],
  framework: [
    [
      [4, 6, 1],
      [2, 0, 0],
    ],
    [
      [4, 6, 0],
      [1, 3, 0],
    ],
    [
      [4, 5, 1],
      [1, 2, 0],
    ],
    [
      [4, 5, 0],
      [1, 1, 0],
    ],
  ],
};

function canUse(project: Framework, other: Framework): boolean {
  if (other.platform !== "") return false;
  if (other.family === project.family) return compare(other.version, project.version) <= 0;
  if (other.family !== "standard") return false;
  const [, most] =
    STANDARDS[project.family].find(([from]) => compare(project.version, from) >= 0) ?? [];
  return most !== undefined && compare(other.version, most) <= 0;
}

export type Nearest =
  /** The content that was offered. */
  | { readonly kind: "index"; readonly index: number }
  /** It has no dependencies for the project. */
  | { readonly kind: "none" }
  /** Versions of NuGet disagree, or the text is invalid. */
  | { readonly kind: "unclear" };

export function nearest(project: Framework, offered: readonly string[]): Nearest {
  const read = offered.map(readFramework);
  const understood = read.flatMap((one, index) =>
    typeof one === "object" ? [{ ...one, index }] : [],
  );
  const isClear =
    !read.includes(undefined) &&
    (project.platform === "" || understood.every(({ platform }) => platform === ""));
  const usable = understood.filter((one) => canUse(project, one));
  const own = usable.filter(({ family }) => family === project.family);
  const [best] = (own.length > 0 ? own : usable).toSorted((a, b) => compare(b.version, a.version));
  if (!isClear) return { kind: "unclear" };
  if (best) return { kind: "index", index: best.index };
  const any = read.indexOf("any");
  if (any !== -1) return { kind: "index", index: any };
  // A package for .NET Framework may be used as a fallback, with or without its dependencies.
  const isFallback =
    project.family !== "framework" && understood.some(({ family }) => family === "framework");
  return { kind: isFallback ? "unclear" : "none" };
}
