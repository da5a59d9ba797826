/** The pages in `docs/` that are made from the code are up to date. `UPDATE_DOCS=1` writes them. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { commands } from "../../cli/commands/index.js";
import { type CodeExplanation, explanations } from "../../cli/print/explanations.js";
import { folder } from "../../cli/testing/reeve.js";
import { createCatalog } from "../../daemon/catalog/catalog.js";
import { programCodes } from "../../daemon/config/codes/program.js";
import { load } from "../../daemon/config/load.js";
import type { Loaded } from "../../daemon/config/program.js";
import { resolveSecrets } from "../../daemon/config/secrets.js";
import { loadFiles } from "../../daemon/config/testing/load-files.js";
import { hostProbe } from "../../daemon/host/probe.js";
import { parse, render } from "../../grammar/index.js";
import { commandsPage } from "./commands.js";
import { errorsPage } from "./errors.js";

function upToDate(t: ExecutionContext, page: string, text: string): void {
  if (process.env.UPDATE_DOCS) writeFileSync(page, text);
  t.true(readFileSync(page, "utf8") === text, `${page} is not up to date: run with UPDATE_DOCS=1`);
}

test("docs/cli.md tells of every command", async (t) => {
  upToDate(t, "docs/cli.md", await commandsPage(commands));
});

test("docs/errors.md tells of every code, with what its example gives", async (t) => {
  const page = await errorsPage((code, entry) => seen(t, code, entry));
  for (const code of Object.keys(explanations)) t.true(page.includes(`\n### ${code}: `), code);
  upToDate(t, "docs/errors.md", page);
});

/** What a user sees who has the example of a code. */
async function seen(t: ExecutionContext, code: string, entry: CodeExplanation): Promise<string> {
  const { example = "" } = entry;
  const files = typeof example === "string" ? { "main.reeve": example } : example();
  if (code.startsWith("E0") && typeof example === "string") {
    const source = { path: "main.reeve", text: example };
    return render(parse(source).diagnostics, new Map([[source.path, source]]));
  }
  if (code.includes(".") || code in programCodes) return onHost(t, files);
  if (code.startsWith("E6")) return withPlugins(t, files);
  return rendered(await loadFiles(files));
}

async function onHost(
  t: ExecutionContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const directory = folder(t, files);
  const catalog = createCatalog();
  t.teardown(() => catalog.close());
  // Daemons may have the usual ports.
  const own = () => ["127.0.0.1:9000", "127.0.0.1:9100", "127.0.0.1:9200"];
  const host = hostProbe({ environment: {}, lenient: true, own });
  const { diagnostics, sources } = await load(join(directory, "main.reeve"), { catalog, host });
  return render(diagnostics, sources).replaceAll(directory, "/etc/reeve");
}

async function withPlugins(
  t: ExecutionContext,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<string> {
  const directory = folder(t, files);
  const catalog = createCatalog({ builtins: [] });
  t.teardown(() => catalog.close());
  const text = await rendered(await load(join(directory, "main.reeve"), { catalog }));
  return text.replaceAll(directory, "/etc/reeve");
}

async function rendered({ program, diagnostics, sources }: Loaded): Promise<string> {
  const secrets = program && (await resolveSecrets(program, unreadable));
  return render([...diagnostics, ...(secrets?.diagnostics ?? [])], sources);
}

const unreadable = (): Promise<string> =>
  Promise.reject(new Error("the environment variable is not set"));
