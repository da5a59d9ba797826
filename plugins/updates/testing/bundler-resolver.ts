/** Lock files of many projects in one process, by Bundler's own resolver with a gem server. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answer, identity, type Served } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";

export interface BundlerQuestion {
  readonly gemfile: string;
  /** Empty without a lock file. */
  readonly lock: string;
  /** Unlocked, together with their dependencies. */
  readonly unlock: readonly string[];
}

const CODE = `
require "json"
require "bundler"
Bundler.ui = Bundler::UI::Silent.new
answers = JSON.parse(File.read("questions.json")).map do |question|
  Bundler.reset!
  File.write("Gemfile", question["gemfile"])
  File.write("Gemfile.lock", question["lock"])
  File.delete("Gemfile.lock") if question["lock"].empty?
  unlock = question["unlock"].empty? ? nil : { gems: question["unlock"] }
  begin
    definition = Bundler::Definition.build(Pathname.new("Gemfile").expand_path, Pathname.new("Gemfile.lock").expand_path, unlock)
    definition.resolve_remotely!
    definition.to_lock
  rescue Bundler::BundlerError
    nil
  end
end
File.write("answers.json", JSON.generate(answers))
`;

/** The lock files; undefined for a project without a solution. */
export async function bundlerResolves(
  { url, published }: Served,
  questions: readonly BundlerQuestion[],
): Promise<readonly (string | undefined)[]> {
  const inputs = [identity("bundle"), identity("ruby"), CODE, published, questions];
  const answers = await answer(inputs, () => answersTo(questions), url);
  return answers.map((one) => one ?? undefined);
}

async function answersTo(
  questions: readonly BundlerQuestion[],
): Promise<readonly (string | null)[]> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-bundler-"));
  try {
    await writeFile(join(directory, "questions.json"), JSON.stringify(questions));
    await writeFile(join(directory, "code.rb"), CODE);
    const env = {
      ...{ PATH: process.env.PATH, HOME: directory, LANG: "C.UTF-8" },
      BUNDLE_GEMFILE: join(directory, "Gemfile"),
      BUNDLE_APP_CONFIG: join(directory, ".none"),
      BUNDLE_DISABLE_VERSION_CHECK: "true",
      BUNDLE_SILENCE_ROOT_WARNING: "true",
    };
    await outputOf("ruby", ["code.rb"], { cwd: directory, env });
    return JSON.parse(await readFile(join(directory, "answers.json"), "utf8"));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
