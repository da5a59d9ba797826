/** Forms of versions in real builds: the artifacts they declare, and those they do not. */
import test from "ava";
import { repository } from "../../testing/manager-fixture.js";
import { gradle } from "./manager.js";

const shapes: ReadonlyArray<
  readonly [script: string, found: readonly string[], properties?: string]
> = [
  [`ext.v = [ok: '4.1']\ndependencies { compile "a.b:c:$v.ok" }`, ["a.b:c 4.1"]],
  [`ext.v = '1.0'\ndependencies { compile "a.b:c:$rootProject.ext.v" }`, ["a.b:c 1.0"]],
  [`def v = '1.0'\ndependencies { compile 'a.b:c:' + v }`, ["a.b:c 1.0"]],
  [`dependencies { compile 'a.b:c:' + '1.2' }`, ["a.b:c 1.2"]],
  [
    `dependencies { compile version: '1.0', name: 'c', group: 'a.b', classifier: 'x' }`,
    ["a.b:c 1.0"],
  ],
  [`dependencies { compile(group: 'a.b', name: 'c') }`, []],
  [`exclude group: 'a.b', module: 'c'`, []],
  [`version = '1.0'\ndependencies { compile "a.b:sibling:$version" }`, ["a.b:sibling -"]],
  [`dependencies { compile "a.b:c:$project.version" }`, ["a.b:c -"], "version=2.0"],
  [`dependencies { compile "a.b:c:$cVersion" }`, ["a.b:c 2.0"], "cVersion = 2.0"],
  [`val v: String by project\ndependencies { api("a.b:c:$v") }`, ["a.b:c 2.0"], "v=2.0"],
  [`val v: String = "1.0"\ndependencies { api("a.b:c:$v") }`, ["a.b:c 1.0"]],
  [`val v by extra { "1.0" }\ndependencies { api("a.b:c:$v") }`, ["a.b:c 1.0"]],
  [`val v: String by extra("1.0")\ndependencies { api("a.b:c:\${v}") }`, ["a.b:c 1.0"]],
  [`dependencies { api(kotlin("stdlib", "1.9.0")) }`, ["org.jetbrains.kotlin:kotlin-stdlib 1.9.0"]],
  [
    `val k = "1.9"\ndependencies { testImplementation(kotlin("test", version = k)) }`,
    ["org.jetbrains.kotlin:kotlin-test 1.9 dev"],
  ],
  [`dependencies { implementation(kotlin("test")) }`, []],
  [`dependencyManagement { imports { mavenBom "a.b:bom:1.0" } }`, ["a.b:bom 1.0"]],
  [
    `libs { version("v", "3.0.5")
library("x", "a.b", "c2").versionRef("v")
library("y", "a.b", "d").version("1.1")
plugin("p", "a.plugin").version("0.4") }`,
    ["a.b:c2 3.0.5", "a.b:d 1.1", "a.plugin 0.4"],
  ],
  [`library("x", "a.b", "c2")`, []],
  [`dependencies { api 'a.b:c:[1.7,1.8[!!1.7.25' }`, ["a.b:c 1.7.25"]],
  [
    `dependencies { api('a.b:c') { version { strictly '[1.7,1.8['; prefer '1.7.25' } } }`,
    ["a.b:c 1.7.25"],
  ],
  [
    `dependencies { "testCustom"("a.b:c:1.0"); "custom"("a.b:d:1.0") }`,
    ["a.b:c 1.0 dev", "a.b:d 1.0"],
  ],
  [
    `dependencies { api('a.b:c:1.0') { because 'a.b:c:0.9 is slow' }; api files('a.b:d:1.0') }`,
    ["a.b:c 1.0"],
  ],
  [`dependencies { constraints { api('a.b:c:1.0') { because 'a.b:c:0.9' } } }`, ["a.b:c 1.0"]],
  [`configurations.all { resolutionStrategy { force 'a.b:c:1.0' } }`, ["a.b:c 1.0"]],
  [`// compile 'a.b:c:1.0'\n/* 'a.b:c:1.0' */`, []],
];
for (const [script, found, properties = ""] of shapes)
  test(script.replaceAll("\n", " ⏎ "), (t) => {
    const files = { "build.gradle": script, "gradle.properties": properties };
    const { dependencies, broken } = gradle.parse(repository(files), { registries: [] });
    t.deepEqual(broken, []);
    t.deepEqual(
      dependencies
        .map(
          ({ name, current, development }) =>
            `${name} ${current ?? "-"}${development ? " dev" : ""}`,
        )
        .sort(),
      found,
    );
    for (const { declarations } of dependencies)
      for (const { file, range, requirement } of declarations)
        t.is(files[file as keyof typeof files].slice(range.start, range.end), requirement);
  });
