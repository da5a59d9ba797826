/**
 * The order of versions in Maven repositories, as the POM reference's "Version Order Specification" describes it and
 * `ComparableVersion` carries it out. Gradle has an order of its own.
 */

/** A number, a qualifier, or a list that a hyphen or the step between letters and digits opens. */
type Item = bigint | string | List;
interface List {
  readonly items: Item[];
}

/** From the oldest to the newest; the empty one is the release itself. All others come after `sp`, by their letters. */
const QUALIFIERS = ["alpha", "beta", "milestone", "rc", "snapshot", "", "sp"];
const RELEASE = QUALIFIERS.indexOf("");
const ALIASES: Readonly<Record<string, string>> = { ga: "", final: "", release: "", cr: "rc" };
const SHORT: Readonly<Record<string, string>> = { a: "alpha", b: "beta", m: "milestone" };

const isList = (item: Item): item is List => typeof item === "object";

/** A qualifier's place as a text that sorts; unknown ones come last. */
function place(qualifier: string): string {
  const index = QUALIFIERS.indexOf(qualifier);
  return index === -1 ? `${QUALIFIERS.length}-${qualifier}` : `${index}`;
}

function isNothing(item: Item): boolean {
  if (typeof item === "bigint") return item === 0n;
  if (typeof item === "string") return item === "";
  return item.items.length === 0;
}

/** Zeros and names of the release at the end say nothing: `1.0.0-final` is `1`. */
function trim({ items }: List): void {
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at];
    if (item === undefined) break;
    if (isNothing(item)) items.splice(at, 1);
    else if (!isList(item)) break;
  }
}

function word(text: string, digitFollows: boolean): string {
  const long = digitFollows && text.length === 1 ? (SHORT[text] ?? text) : text;
  return ALIASES[long] ?? long;
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function read(version: string): List {
  const text = version.toLowerCase();
  const top: List = { items: [] };
  const lists = [top];
  let list = top;
  let start = 0;
  let digits = false;
  const open = (): void => {
    const inner: List = { items: [] };
    list.items.push(inner);
    list = inner;
    lists.push(inner);
  };
  const token = (end: number, digitFollows = false): Item =>
    digits ? BigInt(text.slice(start, end)) : word(text.slice(start, end), digitFollows);
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const character = text[at];
    if (character === "." || character === "-") {
      list.items.push(at === start ? 0n : token(at));
      start = at + 1;
      if (character === "-") open();
    } else if (isDigit(code)) {
      if (!digits && at > start) {
        // Letters before digits are a list of their own: `1.x2` is `1-x-2`.
        if (list.items.length > 0) open();
        list.items.push(token(at, true));
        start = at;
        open();
      }
      digits = true;
    } else {
      if (digits && at > start) {
        list.items.push(token(at));
        start = at;
        open();
      }
      digits = false;
    }
  }
  if (text.length > start) {
    if (!digits && list.items.length > 0) open();
    list.items.push(token(text.length));
  }
  for (const each of lists.toReversed()) trim(each);
  return top;
}

function compareItems(a: Item | undefined, b: Item | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -compareItems(b, undefined);
  if (typeof a === "bigint") {
    if (b === undefined) return a === 0n ? 0 : 1;
    if (typeof b === "bigint") return a < b ? -1 : a > b ? 1 : 0;
    return 1; // 1.1 > 1-sp, 1.1 > 1-1
  }
  if (typeof a === "string") {
    if (b === undefined) return compareTexts(place(a), `${RELEASE}`);
    if (typeof b === "string") return compareTexts(place(a), place(b));
    return -1; // 1.any < 1.1, 1.any < 1-1
  }
  if (b === undefined) {
    for (const item of a.items) {
      const result = compareItems(item, undefined);
      if (result !== 0) return result;
    }
    return 0;
  }
  if (typeof b === "bigint") return -1; // 1-1 < 1.0.x
  if (typeof b === "string") return 1; // 1-1 > 1-sp
  const length = Math.max(a.items.length, b.items.length);
  for (let at = 0; at < length; at += 1) {
    const result = compareItems(a.items[at], b.items[at]);
    if (result !== 0) return result;
  }
  return 0;
}

const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sorting asks for the same versions again and again. Emptied when it is full. */
const known = new Map<string, List>();
const MOST = 20_000;

function readOnce(version: string): List {
  const before = known.get(version);
  if (before) return before;
  if (known.size >= MOST) known.clear();
  const list = read(version);
  known.set(version, list);
  return list;
}

/** Negative where `a` is older than `b`. */
export const compareMaven = (a: string, b: string): number =>
  compareItems(readOnce(a), readOnce(b));
