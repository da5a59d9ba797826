/** What the user has chosen to see is in the address of the page. */

export const query = (): URLSearchParams => new URLSearchParams(location.search);
export const screenHere = (): string => location.pathname.slice(1) || "overview";

/** Changes the address; `changed` follows another view. */
export function go(changes: Record<string, string | undefined>, screen?: string): void {
  const next = screen === undefined ? query() : new URLSearchParams();
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") next.delete(name);
    else next.set(name, value);
  }
  const path = `/${screen ?? screenHere()}`;
  const address = next.size > 0 ? `${path}?${next}` : path;
  // Typing a filter is one step for the Back button of the browser.
  if (changes.filter === undefined) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
  dispatchEvent(new Event("moved"));
}
