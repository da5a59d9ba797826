/** The page's document and styles. Colours are those of the themes of the terminal. */
import { THEMES, type ThemeDefinition } from "../tui/view/themes.js";

export const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>reeve</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script>
</head>
<body><main><h1>reeve</h1><p>Asking the daemon.</p><noscript>The page needs JavaScript.</noscript></main></body>
</html>
`;

function properties(name: string): string {
  const theme = THEMES.find((each): each is ThemeDefinition => each.name === name);
  const all = Object.entries(theme?.colours ?? {}).map(([role, hex]) => `--${role}:#${hex}`);
  return `:root{${all.join(";")}}`;
}

const roles = Object.keys(THEMES[0]?.colours ?? {})
  .map(
    (role) =>
      `.r-${role}{color:var(--${role})}.f-${role}{fill:var(--${role})}.l-${role}{stroke:var(--${role})}`,
  )
  .join("\n");

export const styles = `
:root{color-scheme:dark}
${properties("night")}
@media (prefers-color-scheme:light){:root{color-scheme:light}${properties("day")}}
@media (prefers-contrast:more){:root{color-scheme:dark}${properties("contrast")}}
*{box-sizing:border-box}
body{margin:0;background:var(--background);color:var(--text);font:13px/1.5 system-ui,sans-serif;display:grid;grid-template-columns:188px minmax(0,1fr);min-height:100vh}
body>nav{border-right:1px solid var(--rule);padding:14px 10px}
nav b{display:block;font-size:16px;padding:0 10px 12px}
nav a{display:block;padding:6px 10px;border-radius:6px;color:var(--dim);text-decoration:none}
nav a[aria-current]{background:var(--selected);color:var(--text);font-weight:600;box-shadow:inset 2px 0 var(--accent)}
main{padding:12px 16px;min-width:0}
header div{display:flex;flex-wrap:wrap;gap:4px}
header{display:flex;flex-wrap:wrap;gap:8px 14px;align-items:center;margin-bottom:11px}
h1{font-size:18px;margin:0;flex:1}
h2{font-size:13px;margin:0;flex:1}
input,button{font:inherit;color:inherit;background:transparent;border:1px solid var(--rule);border-radius:6px;padding:5px 10px}
button[aria-pressed=true]{background:var(--selected)}
a:focus-visible,button:focus-visible,input:focus-visible,tr:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
.grid{display:grid;grid-template-columns:repeat(12,minmax(0,1fr));gap:11px}
section{grid-column:span 4;border:1px solid color-mix(in srgb,var(--rule) 50%,transparent);border-radius:10px;padding:10px 14px;min-width:0;background:color-mix(in srgb,var(--selected) 14%,var(--background))}
section.wide{grid-column:1/-1}
section.half{grid-column:span 6}
.head{display:flex;flex-wrap:wrap;gap:10px;margin-bottom:6px}
.line{display:flex;flex-wrap:wrap;gap:0 14px;padding:3px 0}
.line>:first-child{flex:1;overflow-wrap:anywhere;min-width:8em}
.verdict .line:first-of-type{font-size:15px}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:4px 10px 4px 0;vertical-align:top;border-bottom:1px solid color-mix(in srgb,var(--rule) 30%,transparent);overflow-wrap:break-word}
th{color:var(--dim);font-weight:600;white-space:nowrap}
th button{border:0;padding:0}
.number{text-align:right;font-variant-numeric:tabular-nums}
tbody tr{cursor:pointer}
tbody tr:hover,tr[aria-selected=true]{background:var(--selected)}
pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 ui-monospace,monospace}
svg{display:block;width:100%;height:130px;overflow:visible}
.strip{display:grid;grid-template-columns:minmax(5em,9em) minmax(0,1fr) 4em;gap:10px;align-items:center}
.strip svg{height:18px}
.plot{display:grid;grid-template-columns:auto minmax(0,1fr);gap:0 8px;font-size:11px;font-variant-numeric:tabular-nums}
.scale{display:flex;flex-direction:column;justify-content:space-between;text-align:right;line-height:1}
.times{grid-column:2;display:flex;justify-content:space-between}
.rule{stroke-width:1;vector-effect:non-scaling-stroke;opacity:.5}
.pages{display:flex;flex-wrap:wrap;gap:8px;align-items:center;justify-content:flex-end;border:0;padding:8px 0 0}
.series{fill:none;stroke-width:1.5;vector-effect:non-scaling-stroke}
.lost .grid{opacity:.55}
.result{margin:0 0 8px;min-height:1.5em;overflow-wrap:anywhere}
.result:empty{margin:0;min-height:0}
.more{border:0;padding:0 6px}
dialog{max-width:min(90ch,calc(100vw - 32px));max-height:80vh;background:var(--background);color:var(--text);border:1px solid var(--accent);border-radius:10px;padding:16px}
dialog h2{font-size:15px;margin-bottom:10px;overflow-wrap:anywhere}
dialog::backdrop{background:color-mix(in srgb,var(--background) 70%,transparent)}
.answers{display:flex;gap:8px;justify-content:flex-end;margin-top:14px}
.entry{display:block;width:100%;text-align:left;margin-bottom:6px}
button{cursor:pointer}
button:disabled{color:var(--dim);cursor:default}
.bold{font-weight:600}
details summary{color:var(--dim);cursor:pointer}
${roles}
@media (max-width:900px){section,section.half{grid-column:1/-1}}
@media screen and (max-width:640px){body{display:block}body>nav{display:flex;flex-wrap:wrap;border:0;padding:8px}nav b{display:none}
table.list,.list tbody,.list tr,.list td{display:block;border:0;padding:0;text-align:left}.list thead{display:none}.list tr{padding:8px 0;border-bottom:1px solid var(--rule)}
.list td{display:inline-block;max-width:100%;overflow-wrap:anywhere;padding-right:10px}}
@media print{:root{color-scheme:light}${properties("day")}:root{--background:#fff}section{background:none}@page{margin:14mm}body{display:block;font-size:11px}main{padding:0}nav,.pages,input,button,.result{display:none}th button{display:inline}
section{break-inside:avoid}section.wide{break-inside:auto}.list thead{display:table-header-group}tr,.line,.strip{break-inside:avoid}.scroll{overflow:visible}
details::details-content{content-visibility:visible;display:block;height:auto}summary{list-style:none}}
`;
