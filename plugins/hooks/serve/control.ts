/** The plugin's part of the control API: `GET /v1/hooks` lists what is answered where. */
import type { Routes } from "reeve/plugin";
import { pathOf } from "../assign.js";
import type { HookServer } from "./hook-server.js";

interface ListedHook {
  readonly name: string;
  /** Where it is answered: `http://127.0.0.1:9000/hooks/deploy`. */
  readonly url: string;
  /** Empty: all, for hooks of a file. */
  readonly methods: readonly string[];
  /** Whether senders have to prove who they are. */
  readonly verified: boolean;
  /** The comment before its block. */
  readonly doc?: string;
  readonly running: number;
  readonly waiting: number;
}

/** `servers` is asked anew for every request. */
export const controlRoutes =
  (servers: () => readonly HookServer[]): Routes =>
  (app) => {
    app.get("/", () => ({ hooks: servers().flatMap(listed) }));
  };

function listed({ url, all, files }: HookServer): readonly ListedHook[] {
  const written = all.map(({ block, lane }) => ({
    name: block.label ?? "",
    url: `${url}/${pathOf(block)}`,
    methods: block.values.methods,
    verified: block.values.verify.length > 0,
    ...(block.doc === undefined ? {} : { doc: block.doc }),
    running: lane.running,
    waiting: lane.waiting,
  }));
  const fromFiles = files
    .flatMap((file) => [...file.hooks])
    .map(([name, { hook, running }]) => ({
      name,
      url: `${url}/${name}`,
      methods: hook.methods,
      verified: hook.rule !== undefined,
      running: running.lane.running,
      waiting: running.lane.waiting,
    }));
  return [...written, ...fromFiles];
}
