/** The names that a command takes: asked of the daemon when the user presses the key. */
import { connect } from "../../control/client.js";
import type { CommandDescription } from "../../program/describe.js";

/** Milliseconds: completion never waits for a daemon that hangs. */
const DEADLINE = 2000;

/** Sorted, each once; none without a daemon. Names with control characters are left out. */
export async function namesFor(
  described: readonly CommandDescription[],
  path: readonly string[],
  socket: string | undefined,
): Promise<readonly string[]> {
  const found = described.find((each) => each.path.join(" ") === path.join(" "));
  const daemon = connect({ control: socket, deadline: DEADLINE });
  const control = found?.plugin === undefined ? daemon : daemon.forPlugin(found.plugin);
  const lists = await Promise.all(
    (found?.command?.arguments ?? []).map((argument) =>
      argument.complete?.(control).catch(() => []),
    ),
  );
  const names = lists.flatMap((list) => list ?? []);
  return [...new Set(names)].filter((name) => !/\p{Cc}/u.test(name)).sort();
}

/** Whether a command has such names. */
export const hasNames = ({ command }: CommandDescription): boolean =>
  command?.arguments?.some(({ complete }) => complete !== undefined) ?? false;
