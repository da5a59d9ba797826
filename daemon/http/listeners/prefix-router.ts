/** Which of several handlers a path belongs to: the one with the longest prefix that ends at a segment's border. */

export class PrefixRouter<Target> {
  /** Longest first. */
  #entries: ReadonlyArray<readonly [prefix: string, target: Target]> = [];

  get(prefix: string): Target | undefined {
    return this.#entries.find(([known]) => known === prefix)?.[1];
  }

  /** Takes the prefix from its previous target. */
  set(prefix: string, target: Target): void {
    this.#entries = [
      ...this.#entries.filter(([known]) => known !== prefix),
      [prefix, target] as const,
    ].sort(([one], [other]) => other.length - one.length);
  }

  /** Removes the prefix only if it still belongs to `target`. */
  delete(prefix: string, target: Target): void {
    this.#entries = this.#entries.filter(([known, has]) => known !== prefix || has !== target);
  }

  /** `url` as it stands in the request line. Nothing is decoded and no dots are resolved: what is sent is what counts. */
  match(url: string): Target | undefined {
    const path = url.startsWith("/") ? url : pathOf(url);
    for (const [prefix, target] of this.#entries) {
      if (prefix === "/" ? path.startsWith("/") : isBelow(path, prefix)) return target;
    }
    return undefined;
  }

  get prefixes(): readonly string[] {
    return this.#entries.map(([prefix]) => prefix).sort();
  }
}

const SLASH = 0x2f;
const QUESTION_MARK = 0x3f;

function isBelow(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  if (path.length === prefix.length) return true;
  const next = path.charCodeAt(prefix.length);
  return next === SLASH || next === QUESTION_MARK;
}

/** Proxies send the whole URL: `http://host/path`. Anything else (`*`) has no path. */
function pathOf(url: string): string {
  const [, rest] = /^https?:\/\/[^/?#]*(.*)$/i.exec(url) ?? [];
  if (rest === undefined) return "";
  return rest.startsWith("/") ? rest : `/${rest}`;
}
