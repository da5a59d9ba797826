/** `reeve settings explain`: what a key means, what it is now, and why. */
import { controlOptions, countText, defineCommand, Exit, Failure, suggest } from "reeve/cli";
import { loadServers, type Server, type SettingsSnapshot, schemaProperties } from "../offline.js";
import { getSettings } from "./requests.js";
import { originText, valueText } from "./text.js";

/** Hidden values that are shown. */
const HIDDEN = 10;

const LIVE: Readonly<Record<string, string>> = {
  request: "with the editor's next request",
  diagnostics: "when a document is looked at again",
  work: "at once: the server starts working",
  restart: "a restart of the server is advised",
};

export const command = defineCommand({
  description:
    "Without a daemon, or without such a block in its configuration: only what the key means.",
  arguments: [
    { name: "KEY", summary: "the setting: `warn_style`", required: true },
    { name: "NAME", summary: "of which `settings` block (default: the first that has it)" },
  ],
  options: controlOptions,
  examples: [
    {
      command: "reeve settings explain warn_style",
      does: "shows its value and the layer that set it",
    },
  ],
  exits: { [Exit.findings]: "no server has such a setting" },
  async run({ arguments: [key = "", name], options, output: { out, err, json }, control }) {
    const snapshots = await getSettings(control, name).catch((thrown: unknown) => {
      if (!(thrown instanceof Failure)) throw thrown;
      err.line(err.paint("dim", `# only what it means: ${thrown.message}`));
      return [] as readonly SettingsSnapshot[];
    });
    const held = snapshots.find(({ settings }) => settings.some((each) => each.key === key));
    const servers = await loadServers();
    const wanted = held?.name ?? name;
    const server =
      servers.find((each) => each.name === wanted) ??
      servers.find((each) => schemaProperties(each).has(key));
    const property = server && schemaProperties(server).get(key);
    const now = held?.settings.find((each) => each.key === key);
    if (!property && !now) throw missing(key, servers);
    if (options.json) {
      json({ key, schema: property, settings: held?.name, ...now });
      return Exit.ok;
    }
    out.line(out.paint("bold", key));
    if (property?.description !== undefined) out.line(`  ${property.description}`);
    if (property) {
      const choices = property.enum?.map(valueText).join(", ");
      out.line(`  type      ${choices ?? [property.type].flat().join(" or ")}`);
      out.line(`  default   ${valueText(property.default)}`);
    }
    const live = LIVE[now?.live ?? server?.live[key] ?? ""];
    if (live !== undefined) out.line(`  takes effect  ${live}`);
    if (now) {
      out.line(`  now       ${valueText(now.value)}, from ${originText(now)}`);
      for (const below of now.hidden.slice(0, HIDDEN)) {
        out.line(`  hides     ${valueText(below.value)}, from ${originText(below)}`);
      }
      const more = now.hidden.length - HIDDEN;
      if (more > 0)
        out.line(`  hides     what ${countText(more, "more file")} say; --json lists them`);
    }
    return Exit.ok;
  },
});

function missing(key: string, servers: readonly Server[]): Failure {
  const keys = servers.flatMap((server) => [...schemaProperties(server).keys()]);
  const meant = suggest(key, keys);
  return new Failure(Exit.findings, `no server has a setting \`${key}\``, {
    help: meant === undefined ? undefined : `Did you mean \`${meant}\`?`,
  });
}
