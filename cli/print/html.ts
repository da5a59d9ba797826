/** Pages in one file: no scripts, nothing loaded, the themes `day` and `night` by what the reader prefers. */
import { builtInTheme, type ThemeColours } from "../tui/view/themes.js";
import { oneLine } from "./text.js";

/** Markup that may be written as it is; made by `html` only. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type MarkupValue = string | number | undefined | Markup | readonly Markup[];

/** A template whose values are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly MarkupValue[]): Markup {
  const text = parts.map((part, index) => part + escaped(values[index])).join("");
  return new Markup(text);
}

function escaped(value: MarkupValue): string {
  if (value === undefined) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return oneLine(String(value)).replace(/[&<>"']/g, (sign) => `&#${sign.codePointAt(0)};`);
}

const variables = (colours: ThemeColours | undefined): string =>
  Object.entries(colours ?? {})
    .map(([role, hex]) => `--${role}: #${hex};`)
    .join(" ");

const STYLE = `
:root { color-scheme: light dark; ${variables(builtInTheme("day")?.colours)} }
@media screen and (prefers-color-scheme: dark) { :root { ${variables(builtInTheme("night")?.colours)} } }
body { background: var(--background); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
h1, h2 { font-weight: 600; line-height: 1.2; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; }
th, td { border-bottom: 1px solid var(--rule); padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
th { color: var(--dim); font-weight: 500; } .number { text-align: right; white-space: nowrap; }
.wide { overflow-x: auto; } p.facts > span { margin-right: 1.5rem; } footer { color: var(--dim); margin-top: 2rem; }
svg { display: block; height: auto; width: 100%; } svg text { fill: var(--dim); font-size: 12px; } svg line { stroke: var(--rule); }
${["dim", "accent", "ok", "running", "queued", "warn", "fail", "denied"]
  .map((role) => `.${role} { color: var(--${role}); fill: var(--${role}); }`)
  .join("\n")}
`;

/** A whole document. */
export function htmlPage(title: string, body: readonly Markup[]): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${new Markup(policy)}">
<title>${title}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<h1>${title}</h1>
${body}
</body>
</html>
`.text;
}
