/** `compute` with a cache: sorting reads the same versions again and again. A full cache is emptied. */
export function memoize<Result>(
  compute: (text: string) => Result,
  limit = 20_000,
): (text: string) => Result {
  const results = new Map<string, Result>();
  return (text) => {
    if (results.has(text)) return results.get(text) as Result;
    if (results.size >= limit) results.clear();
    const result = compute(text);
    results.set(text, result);
    return result;
  };
}
