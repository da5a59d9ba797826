/** The servers that need no schema file, by name. */
import type { Server } from "./server.js";
import { zls } from "./zls/zls.js";

export const knownServers: ReadonlyMap<string, Server> = new Map([[zls.name, zls]]);
