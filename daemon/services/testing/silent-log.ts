import type { Log } from "../../plugin-api/context.js";

const say = (): void => undefined;

/** Says nothing. */
export const silent: Log = { debug: say, info: say, warn: say, error: say, child: () => silent };
