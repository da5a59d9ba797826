/** What is read of Gemfiles, gemspecs and locks. */
import test from "ava";
import fc from "fast-check";
import { runs } from "../../../../tests/support/runs.js";
import { rubyCalls } from "../../languages/ruby-calls.js";
import { repository } from "../../testing/manager-fixture.js";
import type { ProjectSources } from "../contract.js";
import { bundler } from "./manager.js";

const found = (files: Readonly<Record<string, string>>, more: Partial<ProjectSources> = {}) =>
  bundler.parse(repository(files, more), { registries: [] });

/** `name requirement requirement @group` of all that can be asked for. */
const requirementsIn = (gemfile: string): readonly string[] =>
  found({ Gemfile: gemfile }).dependencies.map(({ name, origin, declarations, development }) =>
    [
      name,
      ...declarations.map(({ requirement }) => requirement),
      origin.kind === "registry" ? `<${new URL(origin.url).host}>` : `(${origin.kind})`,
      ...(development ? ["dev"] : []),
    ]
      .filter((part) => part !== "")
      .join(" "),
  );

const cases: ReadonlyArray<readonly [what: string, gemfile: string, gems: readonly string[]]> = [
  [
    "plain",
    'gem "a"\ngem \'b\', \'~> 1.2\'\ngem("c", ">= 1", "< 3")\n',
    ["a <rubygems.org>", "b ~> 1.2 <rubygems.org>", "c >= 1 < 3 <rubygems.org>"],
  ],
  [
    "lists",
    'gem "a", [">= 1", "< 2"], require: false\ngem "b", %w[>1 <3]\n',
    ["a >= 1 < 2 <rubygems.org>", "b >1 <3 <rubygems.org>"],
  ],
  [
    "groups",
    'group :development, :test do\n  gem "a", "1"\nend\ngem "b", "1", group: :test\ngem "c", "1", :groups => [:test, :default]\ngem "d"\n',
    ["a 1 <rubygems.org> dev", "b 1 <rubygems.org> dev", "c 1 <rubygems.org>", "d <rubygems.org>"],
  ],
  [
    "production",
    'group :production do gem "a", "1" end\ngroup(:test) { gem "b", "1" }\ngem "c"\n',
    ["a 1 <rubygems.org>", "b 1 <rubygems.org> dev", "c <rubygems.org>"],
  ],
  [
    "sources",
    'source "https://gems.example.test/"\ngem "a"\nsource "https://user:word@other.example.test" do\n  gem "b"\nend\ngem "c", source: "https://third.example.test"\ngem "d"\n',
    [
      "a <gems.example.test>",
      "b <other.example.test>",
      "c <third.example.test>",
      "d <gems.example.test>",
    ],
  ],
  [
    "elsewhere",
    'gem "a", git: "https://x"\ngem "b", :path => "../b"\ngem "c", github: "x/c", tag: "v1"\ngem "f", acme: "x/f"\ngit "https://x" do\n  gem "d"\nend\npath "e" do gem "e" end\n',
    ["a (none)", "b (none)", "c (none)", "f (none)", "d (none)", "e (none)"],
  ],
  [
    "computed",
    'gem "a", VERSION\ngem "b", "~> #{minor}"\ngem name\ngem "c-#{x}"\n',
    ["a (none)", "b (none)"],
  ],
  [
    "conditions",
    'if RUBY_VERSION < "3"\n  gem "a", "1"\nelse\n  gem "b", "2"\nend\ngem "c", "3" if ENV["X"] == "1"\ngem "d", "4" unless x\nwhile x do\n  gem "e", "5"\nend\ngem "f", "6"\n',
    ["a 1", "b 2", "c 3", "d 4", "e 5", "f 6"].map((one) => `${one} <rubygems.org>`),
  ],
  [
    "comments and texts",
    '# gem "no"\n=begin\ngem "no"\n=end\ntext = <<~END\n  gem "no"\nEND\ngem "a", # why\n    "1"\nputs "gem \\"no\\""\nx = /gem "no/\ngem "b", "2" # gem "no"\n__END__\ngem "no"\n',
    ["a 1 <rubygems.org>", "b 2 <rubygems.org>"],
  ],
  [
    "lines that go on",
    'gem "a",\n  "1",\n  require: false\ngem "b", \\\n  "2"\ngem(\n  "c",\n  "3"\n)\n',
    ["a 1", "b 2", "c 3"].map((one) => `${one} <rubygems.org>`),
  ],
  ["nonsense for a requirement", 'gem "a", "newest"\n', ["a newest (none)"]],
];
for (const [what, gemfile, gems] of cases)
  test(`a Gemfile: ${what}`, (t) => {
    t.deepEqual(requirementsIn(gemfile), gems);
    t.deepEqual(requirementsIn(gemfile.replaceAll("\n", "\r\n")), gems, "with CRLF");
  });

test("a computed requirement is reported as such", (t) => {
  const [dependency] = found({ Gemfile: 'gem "a", VERSION\n' }).dependencies;
  t.like(dependency?.origin, {
    kind: "none",
    why: "Which a is wanted is worked out by the Gemfile, which is not run.",
  });
});

test("a gemspec: its dependencies, for development too, without the gem itself", (t) => {
  const gemspec = `# frozen_string_literal: true
require_relative "lib/mine/version"
Gem::Specification.new do |spec|
  spec.name = "mine"
  spec.required_ruby_version = Gem::Requirement.new(">= 2.7")
  spec.files = Dir.chdir(__dir__) { \`git ls-files\`.split("\\n") }
  spec.add_dependency "a", "~> 1.0", ">= 1.0.2"
  spec.add_runtime_dependency(%q<b>.freeze, ["~> 2"])
  spec.add_development_dependency 'c'.freeze
end
`;
  const { dependencies, runtime } = found({
    "mine.gemspec": gemspec,
    Gemfile: 'gemspec\ngem "mine"\n',
  });
  t.deepEqual(
    dependencies.map(({ name, declarations, development }) => [
      name,
      declarations.map(({ requirement }) => requirement).join(),
      development,
    ]),
    [
      ["a", "~> 1.0,>= 1.0.2", false],
      ["b", "~> 2", false],
      ["c", "", true],
    ],
  );
  t.deepEqual(runtime, { ruby: ">= 2.7" });
});

test("files: gems.rb goes before Gemfile, with the lock of its name; included files and other gemspecs are read", (t) => {
  const files = {
    Gemfile: 'gem "old"\n',
    "Gemfile.lock": "",
    "gems.rb": 'eval_gemfile "gemfiles/more.rb"\ngemspec path: "engines/x"\ngem "a", "1"\n',
    "gems.locked": "GEM\n  remote: https://rubygems.org/\n  specs:\n    a (1.0)\n    deep (2.0)\n",
    "gemfiles/more.rb": 'gem "more", "2"\n',
    "engines/x/x.gemspec": 'Gem::Specification.new { |s|\n s.add_dependency "spec", "3"\n}\n',
    "other/o.gemspec": "",
    ".ruby-version": "3.1.2\n",
  };
  const sources = repository(files);
  t.deepEqual([...bundler.filesToRead(sources)].sort(), [
    ".ruby-version",
    "engines/x/x.gemspec",
    "gemfiles/more.rb",
    "gems.locked",
    "gems.rb",
  ]);
  const { dependencies, runtime } = bundler.parse(sources, { registries: [] });
  t.deepEqual(
    dependencies.map(({ name, current, declarations }) => [name, current, declarations[0]?.file]),
    [
      ["a", "1.0", "gems.rb"],
      ["more", "2", "gemfiles/more.rb"],
      ["spec", "3", "engines/x/x.gemspec"],
      ["deep", "2.0", undefined],
    ],
  );
  t.deepEqual(runtime, { ruby: "3.1.2" });
  t.deepEqual(bundler.filesToRead(repository({ "README.md": "" })), []);
  t.deepEqual(bundler.filesToRead(repository({ "my.gemspec": "" })), ["my.gemspec"]);
});

test("a lock with merge conflicts is reported, and parsing continues", (t) => {
  const { broken, dependencies } = found({
    Gemfile: 'gem "a", "~> 1"\n',
    "Gemfile.lock": "GEM\n<<<<<<< ours\n    a (1.0)\n",
  });
  t.deepEqual(broken, [
    { file: "Gemfile.lock", why: "Gemfile.lock has conflicts of a merge in it." },
  ]);
  t.deepEqual(
    dependencies.map(({ name, current }) => [name, current]),
    [["a", undefined]],
  );
});

test("the instance's registry replaces the public one, and others by URL", (t) => {
  const sources = repository({
    Gemfile:
      'source "https://rubygems.org"\ngem "a"\ngem "b", source: "https://gems.acme.test/"\ngem "c", source: "https://other.test"\n',
  });
  const { dependencies } = bundler.parse(sources, {
    registries: [
      { manager: "bundler", url: "http://mirror.test/ruby/" },
      { manager: "bundler", url: "http://inside.test", scope: "https://gems.acme.test" },
    ],
  });
  t.deepEqual(
    dependencies.map(({ origin }) => (origin.kind === "registry" ? origin.url : origin.kind)),
    ["http://mirror.test/ruby", "http://inside.test", "https://other.test"],
  );
});

test("for any text, parsing ends and every range is in the text", (t) => {
  const words = fc.constantFrom(
    ...[
      "gem ",
      '"a"',
      "'b'",
      ", ",
      "\n",
      "do",
      " end ",
      "{",
      "}",
      "(",
      ")",
      "[",
      "]",
      "#{",
      "#",
      "%w[",
      "%q<",
      "/",
      "<<~END",
      "END\n",
    ],
    ...[
      "group :x ",
      "if ",
      ":",
      "::",
      "\\",
      "=begin\n",
      "=end\n",
      "__END__",
      "\uFEFF",
      "\r\n",
      "source ",
      ".",
      "é",
      "?",
      "=>",
    ],
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      for (const { args } of rubyCalls(text))
        for (const { literals } of args)
          for (const { text: literal, range, quote } of literals)
            if (quote !== undefined) t.is(text.slice(range.start, range.end), literal);
      found({ Gemfile: text, "Gemfile.lock": text, "x.gemspec": text });
    }),
    { numRuns: runs(50, 500) },
  );
});
