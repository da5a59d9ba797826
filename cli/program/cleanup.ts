/** What has to be closed before the process can end. */
const closers: Array<() => Promise<void>> = [];

/** Asks for a call when the command has ended, however it ended. */
export function onExit(close: () => Promise<void>): void {
  closers.push(close);
}

/** Closes everything, the latest first. A closer that fails keeps no other from its turn. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}
