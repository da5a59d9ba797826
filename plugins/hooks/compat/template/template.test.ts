/** Spec §5, "Templates". */
import test from "ava";
import { expandTemplate } from "./template.js";

const world = {
  environment: (name: string) => (name === "SECRET" ? 'it\'s "quoted"' : name === "ON" ? "1" : ""),
  file: (path: string) => (path === "/run/secret" ? "from a file" : ""),
  credential: (name: string) => (name === "hook" ? "credential" : ""),
};
const expanded = (text: string): string => {
  const result = expandTemplate(text, world);
  return result.ok
    ? result.text
    : `${result.position.line}:${result.position.column} ${result.message}`;
};

const rows: ReadonlyArray<readonly [template: string, text: string]> = [
  ["no action", "no action"],
  ['{{ getenv "ON" }}', "1"],
  ["{{getenv `ON`}}", "1"],
  ['{{ getenv "GONE" }}', ""],
  ['"{{ getenv "SECRET" | js }}"', '"it\\\'s \\"quoted\\""'],
  ['{{ cat "/run/secret" }}', "from a file"],
  ['{{ credential "hook" }}', "credential"],
  ['{{ if getenv "ON" }}yes{{ else }}no{{ end }}', "yes"],
  ['{{ if getenv "GONE" }}yes{{ else }}no{{ end }}', "no"],
  ['{{ if eq (getenv "ON") "2" }}a{{ else if eq (getenv "ON") "1" }}b{{ else }}c{{ end }}', "b"],
  ['{{ if and (getenv "ON") (not (getenv "GONE")) }}both{{ end }}', "both"],
  ['{{ or (getenv "GONE") "instead" }}', "instead"],
  ['{{ with getenv "ON" }}[{{ . }}]{{ end }}', "[1]"],
  ['{{ $x := getenv "ON" }}{{ $x }}{{ $x }}', "11"],
  ['{{ $x := "a" }}{{ if true }}{{ $x = "b" }}{{ end }}{{ $x }}', "b"],
  ["{{ range 3 }}<{{ . }}>{{ end }}", "<0><1><2>"],
  ["{{ range $i := 2 }}{{ $i }},{{ end }}", "0,1,"],
  ["{{ range 0 }}x{{ else }}none{{ end }}", "none"],
  ["a {{- /* a comment */ -}} b", "ab"],
  ["a  {{- 1 -}}  b", "a1b"],
  ['{{ printf "%s-%d%%" "a" 2 }}', "a-2%"],
  ['{{ "a<b" | html }}', "a&lt;b"],
  ['{{ "a b" | urlquery }}', "a+b"],
  ['{{ len "four" }}', "4"],
];
for (const [template, text] of rows) {
  test(template, (t) => t.is(expanded(template), text));
}

const failures: ReadonlyArray<readonly [template: string, complaint: string]> = [
  ["a\n {{ getenv", "2:2 an action `{{` is never closed"],
  ["{{ nothing }}", "1:1 there is no function `nothing`"],
  ["{{ if true }}", "1:1 this is never ended; `{{ end }}` is missing"],
  ["{{ end }}", "1:1 `end` ends nothing"],
  ["{{ $x }}", "1:1 there is no variable `$x`"],
  ["{{ (getenv `ON` }}", "1:1 a `(` is never closed"],
  ["{{ getenv `ON`) }}", "1:1 a `)` has no `(`"],
  ['{{ range "text" }}{{ end }}', "1:1 `range` goes over lists and counts only"],
  ['{{ template "x" }}', "1:1 `template` is not supported in hooks files"],
  ["{{ constructor }}", "1:1 there is no function `constructor`"],
];
for (const [template, complaint] of failures) {
  test(`${JSON.stringify(template)} is refused`, (t) => t.is(expanded(template), complaint));
}
