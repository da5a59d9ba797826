/** The set-up for Helix names the server that it defines, and the options that the server has. */
import { readFileSync } from "node:fs";
import test from "ava";
import { parse } from "smol-toml";

interface Languages {
  readonly "language-server": Readonly<
    Record<
      string,
      {
        readonly command: string;
        readonly args: readonly string[];
        readonly config: Readonly<Record<string, unknown>>;
      }
    >
  >;
  readonly language: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

test("the language of Helix uses the server that the file defines", (t) => {
  const text = readFileSync("editors/helix/languages.toml", "utf8");
  const { language, "language-server": servers } = parse(text) as unknown as Languages;
  const [reeve] = language;
  t.like(reeve, { name: "reeve", "file-types": ["reeve"], "comment-token": "#" });
  t.deepEqual(reeve?.["language-servers"], Object.keys(servers));
  t.like(servers.reeve, { command: "reeve", args: ["lsp"] });
  const page = readFileSync("docs/editors.md", "utf8");
  for (const option of Object.keys(servers.reeve?.config ?? {})) {
    t.true(page.includes(`| \`${option}\` |`), option);
  }
});
