/** A gem server of static files: gems built and indexed by RubyGems. */
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "../../../tests/support/child.js";
import { closed, urlOf } from "./server.js";

export interface GemFolder extends AsyncDisposable {
  readonly url: string;
  /** Builds these gems and updates the index. `needs`: name → requirement. */
  publish(gems: readonly BuiltGem[]): Promise<void>;
}

interface BuiltGem {
  readonly name: string;
  readonly version: string;
  readonly needs?: Readonly<Record<string, string>>;
  readonly ruby?: string;
}

const BUILD = `
require "json"; require "rubygems/package"; require "rubygems/indexer"; require "fileutils"
folder, gems = ARGV[0], JSON.parse(ARGV[1])
Gem::DefaultUserInteraction.ui = Gem::SilentUI.new
Dir.chdir(File.join(folder, "gems"))
Dir.mkdir("lib")
gems.each do |given|
  File.write("lib/code.rb", "X = #{given["version"].inspect}\\n")
  Gem::Package.build(Gem::Specification.new { |spec|
    spec.name = given["name"]; spec.version = given["version"]
    spec.authors = ["A"]; spec.summary = "S"; spec.files = ["lib/code.rb"]
    spec.required_ruby_version = given["ruby"] if given["ruby"]
    (given["needs"] || {}).each { |name, requirement| spec.add_dependency(name, *requirement.split(", ")) }
  }, true)
end
FileUtils.rm_rf("lib")
Gem::Indexer.new(folder).generate_index
`;

export async function gemFolder(): Promise<GemFolder> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-gems-"));
  await mkdir(join(folder, "gems"));
  const server = createServer(async ({ url = "" }, response) => {
    const path = decodeURIComponent(new URL(url, "http://any").pathname);
    const body = await readFile(join(folder, path)).catch(() => undefined);
    response.writeHead(body ? 200 : 404).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: urlOf(server),
    publish: async (gems) => {
      const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8" };
      await outputOf("ruby", ["-e", BUILD, folder, JSON.stringify(gems)], { env });
    },
    [Symbol.asyncDispose]: async () => {
      await closed(server);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
