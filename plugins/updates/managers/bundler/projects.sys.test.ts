/** Gemfiles as people write them: what is read without running them is what Bundler has after running them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { outputOf } from "../../../../tests/support/child.js";
import { repository } from "../../testing/manager-fixture.js";
import { bundler } from "./manager.js";
import { clausesOf } from "./versions.js";

const PROJECTS: Readonly<Record<string, string>> = {
  "a web application as its generator makes it": `source "https://rubygems.org"
git_source(:github) { |repo| "https://github.com/#{repo}.git" }

ruby "3.1.2"

# Bundle edge Rails instead: gem "rails", github: "rails/rails", branch: "main"
gem "rails", "~> 7.0.8", ">= 7.0.8.7"
gem "sqlite3", "~> 1.4"
gem "tzinfo-data", platforms: %i[ mingw mswin x64_mingw jruby ]
gem "bootsnap", require: false

# Use Kredis [https://github.com/rails/kredis]
# gem "kredis"

group :development, :test do
  gem "debug", platforms: %i[ mri mingw x64_mingw ]
end

group :development do
  gem "web-console", ">=4.1"
  # gem "rack-mini-profiler"
end

group :test do
  gem "capybara"
  gem 'selenium-webdriver', '4.9.0', :require => false
end
`,
  "groups, sources and families in other words": `source 'https://rubygems.org'

def development_gem(name, *rest)
  group(:development) { gem name, *rest }
end

RAILS = '~> 6.1'.freeze
%w[mime-types rack].each { |name| name }

gem('json', '>= 1', '< 3', '!= 2.0')
gem 'nokogiri', ['>= 1.10', '< 2']
gem "addressable", "~> 2.8.0", group: :default
gem "one", "=1.0", groups: %w[test development]
gem 'two',
    '~> 1.0', # a comment
    require: ['two', "two/more"],
    install_if: -> { RUBY_PLATFORM =~ /linux/ }
gem "three", ">= 0.a"

source "https://gems.acme.example" do
  gem "inside", "> 1"
  group :ci do
    gem "deeper", "0.1.0.pre.2"
  end
end
platforms :ruby do
  gem "four"
end
if RUBY_VERSION >= '2.0'
  gem "five", "5"
end
gem "six", "6.0" unless ENV["NEVER_SET"]
gem "away", git: "https://git.example/away.git", ref: "abc"
gem "hub", github: "acme/hub"
gem "near", path: "vendor/near"
path "engines" do
  gem "engine"
end
`,
};

const CODE = `
require "json"
require "bundler"
Bundler.ui = Bundler::UI::Silent.new
dsl = Bundler::Dsl.new
dsl.eval_gemfile("Gemfile")
lines = dsl.dependencies.map do |one|
  groups = one.groups.map(&:to_s)
  away = one.source.is_a?(Bundler::Source::Path)
  from = one.source.is_a?(Bundler::Source::Rubygems) ? one.source.remotes.map(&:host).first.to_s : ""
  [one.name, away ? "" : one.requirement.as_list.sort.reject { |each| each == ">= 0" }.join(", "), groups.none? { |each| %w[default production].include?(each) }, away, from].join("|")
end
puts lines
`;

test("requirements of a Gemfile equal Bundler's", async (t) => {
  t.timeout(90_000);
  const directory = await mkdtemp(join(tmpdir(), "reeve-gemfile-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, "code.rb"), CODE);
  for (const [what, text] of Object.entries(PROJECTS)) {
    await writeFile(join(directory, "Gemfile"), text);
    const env = {
      PATH: process.env.PATH,
      HOME: directory,
      BUNDLE_GEMFILE: join(directory, "Gemfile"),
    };
    const stdout = await outputOf("ruby", ["code.rb"], { cwd: directory, env });
    const { dependencies } = bundler.parse(repository({ Gemfile: text }), { registries: [] });
    const mine = dependencies.map(({ name, declarations, development, origin }) => {
      const clauses = declarations.flatMap(({ requirement }) => clausesOf(requirement) ?? []);
      const words = clauses.map(({ operator, version }) => `${operator} ${version}`);
      const host = origin.kind === "registry" ? new URL(origin.url).host : "";
      const own = host === "rubygems.org" ? "" : host;
      const away = origin.kind === "none";
      return [name, away ? "" : words.sort().join(", "), development, away, own].join("|");
    });
    t.deepEqual(mine.sort(), stdout.trim().split("\n").sort(), what);
  }
});
