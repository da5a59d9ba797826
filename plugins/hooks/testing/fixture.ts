/** The hooks alive in a test: with what their tests ask for again and again. */
import type { ExecutionContext } from "ava";
import type { Fields, Isolation } from "reeve/plugin";
import { type PluginUnderTest, testPlugin } from "reeve/testing";

export interface HooksFixture {
  readonly plugin: PluginUnderTest;
  /** Where the hooks of the only server are. */
  readonly url: string;
  /** The directory of the configuration. */
  readonly directory: string;
  post(path: string, body?: string, headers?: Record<string, string>): Promise<Response>;
  /** Gives what there is to complain about. */
  edit(text: string): Promise<readonly string[]>;
  /** The data of the next event of the type that was not asked for before. */
  next(type: string): Promise<Fields>;
  /** What runs is cut off after `grace` milliseconds. */
  stop(grace?: number): Promise<void>;
}

/** `secret("env:S")` and others are `hunter22`. */
const environment = { S: "hunter22", T: "hunter22", TOKEN: "hunter22", BLANK: " " };
const MODULE = new URL("../plugin.js", import.meta.url);

export interface FixtureOptions {
  readonly isolation?: Isolation;
  /** Beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Besides those all tests have. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startFixture(
  t: ExecutionContext,
  config: string,
  options: FixtureOptions = {},
): Promise<HooksFixture> {
  const plugin = await testPlugin(MODULE, {
    ...options,
    config,
    environment: { ...environment, ...options.environment },
  });
  t.teardown(() => plugin.stop());
  const url = (): string => servers(plugin).values().next().value ?? "";
  const counts = new Map<string, number>();
  return {
    plugin,
    get url() {
      return url();
    },
    directory: plugin.folder,
    post: (path, body = "", headers = {}) =>
      fetch(`${url()}/${path}`, { method: "POST", body, headers }),
    edit: async (text) => {
      const { diagnostics } = await plugin.reload(text);
      return diagnostics.map(({ message }) => message);
    },
    async next(type) {
      const past = counts.get(type) ?? 0;
      counts.set(type, past + 1);
      const found = () => plugin.events.filter((event) => event.type === type)[past];
      await plugin.until(() => found() !== undefined, `the event ${type}`);
      return found()?.data ?? {};
    },
    stop: (grace = 10_000) => plugin.stop(AbortSignal.timeout(grace)),
  };
}

/** Every server's address, by its prefix. */
export function servers({ listeners }: PluginUnderTest): ReadonlyMap<string, string> {
  return new Map(
    listeners.flatMap(({ address, prefixes }) =>
      prefixes.map((prefix) => {
        const path = prefix === "/" ? "" : prefix;
        return [prefix, `http://${address}${path}`] as const;
      }),
    ),
  );
}
