/** Parses `a=1&b=2` of a body. */

export type FormReading =
  | { readonly ok: true; readonly value: Readonly<Record<string, string>> }
  | { readonly ok: false; readonly message: string };

/** The most fields. */
export const MAX_FIELDS = 1000;

/** The first field of a name counts. An invalid escape fails the whole form. */
export function readForm(text: string): FormReading {
  const value: Record<string, string> = Object.create(null);
  const pairs = text.split("&", MAX_FIELDS + 1);
  if (pairs.length > MAX_FIELDS) {
    return { ok: false, message: `The form has more than ${MAX_FIELDS} fields.` };
  }
  for (const pair of pairs) {
    if (pair === "") continue;
    const [name, content] = halves(pair);
    try {
      const key = decoded(name);
      if (!(key in value)) value[key] = decoded(content);
    } catch {
      return { ok: false, message: "The form has an invalid escape." };
    }
  }
  return { ok: true, value };
}

function halves(pair: string): readonly [string, string] {
  const equals = pair.indexOf("=");
  return equals === -1 ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
}

const decoded = (written: string): string => decodeURIComponent(written.replaceAll("+", " "));
