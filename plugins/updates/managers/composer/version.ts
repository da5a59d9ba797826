/** Versions as Composer normalises them, in the order of PHP's own comparison. */

const MODIFIER = "[._-]?(?:(stable|beta|b|RC|alpha|a|patch|pl|p)((?:[.-]?\\d+)*)?)?([.-]?dev)?";
const CLASSIC = new RegExp(`^v?(\\d{1,5})(\\.\\d+)?(\\.\\d+)?(\\.\\d+)?${MODIFIER}$`, "i");
const DATED = new RegExp(`^v?(\\d{4}(?:[.:-]?\\d{2}){1,6}(?:[.:-]?\\d{1,3})?)${MODIFIER}$`, "i");

const FULL: Readonly<Record<string, string>> = {
  a: "alpha",
  b: "beta",
  p: "patch",
  pl: "patch",
  rc: "RC",
};

/** Many ask for the same ones. Emptied when it is full. */
const known = new Map<string, string | undefined>();
const MOST = 20_000;

/** `v1.2-rc.3` → `1.2.0.0-RC3`; undefined for branches and all else that is no version. */
export function normalized(text: string): string | undefined {
  if (known.has(text)) return known.get(text);
  if (known.size >= MOST) known.clear();
  const version = normalize(text.trim().replace(/^([^,\s+]+)\+\S+$/, "$1"));
  known.set(text, version);
  return version;
}

function normalize(text: string): string | undefined {
  const classic = CLASSIC.exec(text);
  if (classic) {
    const [, major, minor = ".0", patch = ".0", fourth = ".0", ...modifier] = classic;
    return `${major}${minor}${patch}${fourth}${suffix(modifier)}`;
  }
  const dated = DATED.exec(text);
  if (!dated) return undefined;
  const [, date = "", ...modifier] = dated;
  return date.replace(/\D/g, ".") + suffix(modifier);
}

function suffix([stability = "", number = "", dev = ""]: readonly (string | undefined)[]): string {
  const word = stability.toLowerCase();
  if (word === "stable") return "";
  const own = word === "" ? "" : `-${FULL[word] ?? word}${number.replace(/^[.-]+/, "")}`;
  return `${own}${dev === "" ? "" : "-dev"}`;
}

/** Of normalised versions. */
export function compareNormalized(a: string, b: string): number {
  if (a === b) return 0;
  const [first, second] = [keyOf(a), keyOf(b)];
  for (let position = 0; position < Math.max(first.length, second.length); position += 1) {
    const difference = (first[position] ?? END) - (second[position] ?? END);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

/** Words by rank, numbers in the place of `#`. */
const RANKS = ["dev", "alpha", "beta", "RC", "#", "p"];
const STEP = 1e15;
const NUMBER = RANKS.indexOf("#") * STEP;
/** Where one version ends and the other goes on: a number makes that newer, a word is held against a number. */
const END = NUMBER - 1;

const keys = new Map<string, readonly number[]>();

function keyOf(version: string): readonly number[] {
  const known = keys.get(version);
  if (known) return known;
  const key = version
    .replace(/[-_+]/g, ".")
    .replace(/(\d)([^\d.])/g, "$1.$2")
    .replace(/([^\d.])(\d)/g, "$1.$2")
    .split(".")
    .map((word) =>
      /^\d/.test(word)
        ? NUMBER + Number(word)
        : RANKS.findIndex((rank) => word.startsWith(rank)) * STEP,
    );
  if (keys.size >= MOST) keys.clear();
  keys.set(version, key);
  return key;
}
