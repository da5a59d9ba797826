/** `reeve explain`: a value and its origin, a kind of block, or an error code. */
import { defineCommand, json } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { fileArgument } from "../project/load.js";

const options = { json };

export const command = defineCommand({
  description:
    "A path is a block (`hook.deploy`), an attribute of it (`hook.deploy.timeout`) or a part of one " +
    '(`hook["a b"].env.HOME`): its value, the parts of the value and where they are written, and its schema. ' +
    "A kind (`hook`) shows the attributes of such a block, a code (`E101`) the meaning of a diagnostic.",
  arguments: [
    {
      name: "WHAT",
      summary: "a path, a kind of block, or the code of a diagnostic",
      required: true,
      complete: async () => (await import("./explain/path.js")).blockKeys(),
    },
    fileArgument,
  ],
  options,
  examples: [
    { command: "reeve explain hook.deploy.timeout", does: "shows the origin of a value" },
    { command: "reeve explain hook", does: "shows the attributes of a hook block" },
    { command: "reeve explain E101", does: "explains a diagnostic" },
  ],
  exits: {
    [Exit.noInput]: "there is no such block, attribute, kind, code or file",
    [Exit.configuration]: "the configuration is invalid",
  },
  async run(call) {
    const [what = "", file] = call.arguments;
    const how = { asJson: call.options.json, output: call.output };
    if (/^[EW]\d+$/.test(what)) {
      const { explainCode } = await import("./explain/code.js");
      return explainCode(what, how);
    }
    const { referencesOf } = await import("./explain/kind.js");
    const references = isKind(what) ? await referencesOf(file) : new Map<string, () => string>();
    const reference = references.get(what)?.();
    if (reference === undefined) {
      const { explainPath } = await import("./explain/path.js");
      return explainPath(what, file, [...references.keys()], how);
    }
    if (how.asJson) how.output.json({ kind: what, reference });
    else how.output.out.line(reference);
    return Exit.ok;
  },
});

const isKind = (what: string): boolean => /^[a-z_]\w*(\.[a-z_]\w*)?$/i.test(what);
