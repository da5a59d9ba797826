/** Lists of code hosts in several pages. */
import { UpdatesError } from "../../errors.js";
import { accepted } from "./responses.js";
import type { Ask, RestAnswer } from "./rest.js";

const mostPages = 100;

/**
 * The bodies of all pages, by the links of the host; `undefined` if the status of the first page is in `absent`.
 * @throws UpdatesError `host_refused` if a page is refused or the list does not end
 */
export async function pagesOf(
  ask: Ask,
  path: string,
  absent: readonly number[] = [],
  // biome-ignore lint/suspicious/noExplicitAny: see RestAnswer.
): Promise<readonly any[] | undefined> {
  const bodies: unknown[] = [];
  let next: string | undefined = path;
  while (next !== undefined) {
    if (bodies.length === mostPages)
      throw new UpdatesError("host_refused", `The code host lists more than ${mostPages} pages.`);
    const answer: RestAnswer = await ask("GET", next);
    if (bodies.length === 0 && absent.includes(answer.status)) return undefined;
    bodies.push(accepted(answer, "a list"));
    next = answer.next;
  }
  return bodies;
}

/** The items of all pages; none if the token may not see the list. @throws UpdatesError `host_refused` */
// biome-ignore lint/suspicious/noExplicitAny: see RestAnswer.
export async function itemsOf(ask: Ask, path: string): Promise<readonly any[]> {
  return flat(await pagesOf(ask, path, [401, 403, 404]));
}

/** The items of pages that are arrays, or have one in `field`. */
export const flat = (
  // biome-ignore lint/suspicious/noExplicitAny: see RestAnswer.
  pages: readonly any[] | undefined,
  field?: string,
  // biome-ignore lint/suspicious/noExplicitAny: see RestAnswer.
): readonly any[] =>
  (pages ?? []).flatMap((page) => {
    const items: unknown = field === undefined ? page : page?.[field];
    return Array.isArray(items) ? items : [];
  });
