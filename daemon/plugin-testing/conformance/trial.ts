/** The plugin in one isolation, started anew for each check that acts on it and always taken away again. */
import type { Isolation } from "../../plugin-api/descriptor.js";
import type { PluginModule } from "../one-plugin.js";
import type { PluginUnderTest } from "../plugin-under-test.js";
import { testPlugin } from "../test-plugin.js";
import type { ConformanceOptions } from "./options.js";

export class Trial {
  readonly module: PluginModule;
  readonly options: ConformanceOptions;
  readonly isolation: Isolation;

  constructor(module: PluginModule, options: ConformanceOptions, isolation: Isolation) {
    this.module = module;
    this.options = options;
    this.isolation = isolation;
  }

  start(config: string = this.options.config): Promise<PluginUnderTest> {
    const { files = {}, environment = {}, namespace } = this.options;
    return testPlugin(this.module, {
      ...{ config, files, environment, isolation: this.isolation },
      ...(namespace === undefined ? {} : { namespace }),
    });
  }

  async with<Result>(
    work: (plugin: PluginUnderTest) => Promise<Result>,
    config?: string,
  ): Promise<Result> {
    const plugin = await this.start(config);
    try {
      return await work(plugin);
    } finally {
      await plugin.stop();
    }
  }

  /** What the plugin does with `config`, when nothing came before it. */
  observed(config?: string): Promise<unknown> {
    return this.with((plugin) => this.options.observe(plugin), config);
  }
}
