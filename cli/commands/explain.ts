/** `reeve explain`: a value and where it comes from, a kind of block, a code of a diagnostic. */
import { explain } from "../../daemon/config/explain/explain.js";
import { blockReference } from "../../daemon/config/schema/reference.js";
import { render, suggest, tidied, toJson } from "../../grammar/index.js";
import { type Call, defineCommand, json } from "../command.js";
import {
  fileArgument,
  isThere,
  loadConfiguration,
  nameFrom,
  pluginCatalog,
  rootFile,
} from "../configuration.js";
import { type Explanation, exampleOf, explanationOf } from "../diagnostics/explanations.js";
import { Exit, type ExitCode, Failure } from "../exit.js";
import { renderBlock } from "../explain/block.js";
import { explanationJson, renderExplanation } from "../explain/render.js";

const options = { json };

export const command = defineCommand({
  description:
    "A path is a block (`hook.deploy`), an attribute of it (`hook.deploy.timeout`) or a part of one " +
    '(`hook["a b"].env.HOME`): its value, what the value is made of, where that is written, and what the schema says. ' +
    "A kind (`hook`) is what a block of that kind can hold, a code (`E101`) is what a diagnostic means.",
  arguments: [
    {
      name: "WHAT",
      summary: "a path, a kind of block, or the code of a diagnostic",
      required: true,
    },
    fileArgument,
  ],
  options,
  examples: [
    { command: "reeve explain hook.deploy.timeout", does: "where a value comes from" },
    { command: "reeve explain hook", does: "what a hook block can hold" },
    { command: "reeve explain E101", does: "what a diagnostic means" },
  ],
  exits: {
    [Exit.noInput]: "there is no such block, attribute, kind, code or file",
    [Exit.configuration]: "the configuration is invalid",
  },
  async run(call) {
    const [what = "", file] = call.arguments;
    if (/^[EW]\d+$/.test(what)) return explainCode(what, call);
    const references = isKind(what) ? await referencesOf(file) : new Map<string, () => string>();
    const reference = references.get(what)?.();
    if (reference === undefined) return explainPath(what, file, [...references.keys()], call);
    if (call.options.json) call.output.json({ kind: what, reference });
    else call.output.out.line(reference);
    return Exit.ok;
  },
});

const isKind = (what: string): boolean => /^[a-z_]\w*(\.[a-z_]\w*)?$/i.test(what);

type ExplainCall = Call<typeof options>;

function explainCode(code: string, { options: { json: asJson }, output }: ExplainCall): ExitCode {
  const known = explanationOf(code);
  if (!known) throw new Failure(Exit.noInput, `there is no diagnostic \`${code}\``);
  if (asJson) {
    const { title, explanation } = known;
    output.json({ code, title, explanation, ...exampleJson(known) });
  } else {
    const { out } = output;
    out.line(`${out.paint("bold", code)}: ${known.title}`);
    out.line();
    out.line(known.explanation);
    for (const { name, text } of exampleOf(known)) {
      out.line();
      out.line(out.paint("dim", `# ${name}`));
      out.write(text);
    }
  }
  return Exit.ok;
}

function exampleJson(known: Explanation): { readonly example?: Readonly<Record<string, string>> } {
  const files = exampleOf(known);
  if (files.length === 0) return {};
  return { example: Object.fromEntries(files.map(({ name, text }) => [name, text])) };
}

/** What blocks of each kind can hold, as Markdown, by the name of the kind. */
async function referencesOf(file: string | undefined): Promise<ReadonlyMap<string, () => string>> {
  const root = file === undefined && !isThere() ? undefined : rootFile(file);
  const program = root === undefined ? undefined : (await loadConfiguration(root)).program;
  const { plugins } = await pluginCatalog().bind(
    program?.declarations ?? [],
    root ?? process.cwd(),
  );
  return new Map(
    plugins.flatMap(({ namespace, description }) =>
      Object.entries(description.blocks).map(([bare, descriptor]) => {
        const name = namespace === undefined ? bare : `${namespace}.${bare}`;
        return [name, () => blockReference(name, descriptor)] as const;
      }),
    ),
  );
}

async function explainPath(
  path: string,
  file: string | undefined,
  kinds: readonly string[],
  { options: { json: asJson }, output }: ExplainCall,
): Promise<ExitCode> {
  const root = rootFile(file);
  const { program, diagnostics, sources } = await loadConfiguration(root);
  if (!program) {
    if (asJson) {
      const found = tidied(diagnostics, sources).map((each) => toJson(each, sources));
      output.json({ diagnostics: found });
    } else output.err.write(render(diagnostics, sources, { colour: output.err.colour }));
    return Exit.configuration;
  }
  const found = explain(program, path);
  if ("problem" in found) {
    const meant = found.suggestion ?? suggest(path, [...program.blocks.keys(), ...kinds]);
    throw new Failure(Exit.noInput, found.problem, {
      help: meant === undefined ? undefined : `Did you mean \`${meant}\`?`,
    });
  }
  const texts = { sources, name: nameFrom(root) };
  if (asJson) output.json(explanationJson(found, texts));
  else if (program.blocks.has(path)) {
    output.out.write(renderBlock(program, path, texts, output.out));
  } else output.out.write(renderExplanation(found, texts, output.out));
  return Exit.ok;
}
