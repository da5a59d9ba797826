/** Builds in Groovy and Kotlin with every form of version, their lock files and the wrapper. */
import { once } from "node:events";
import { createServer } from "node:http";
import test from "ava";
import fc from "fast-check";
import { propose } from "../../decide/propose.js";
import { asWanted, repository, workshop } from "../../testing/manager-fixture.js";
import { type MavenRepository, mavenRepository } from "../../testing/maven-repository.js";
import { closed, urlOf } from "../../testing/server.js";
import type { ManagerSettings, ProjectSources, Tools, UpdateEdit } from "../contract.js";
import { gradle } from "./manager.js";

const none: ManagerSettings = { registries: [] };

const GROOVY = `buildscript {
  ext.kotlin_version = '1.9.0'
  ext { spring = "5.0.1"; versions = [okhttp: '4.1', 'moshi': "1.2"] }
  repositories { maven { url "https://maven.acme.example/releases" }; google() }
  dependencies { classpath "org.jetbrains.kotlin:kotlin-gradle-plugin:$kotlin_version" }
}
plugins {
  id 'java'
  id 'com.acme.tool' version '1.2' apply false
  id 'org.spring' version spring
}
apply from: "gradle/more.gradle"
/* implementation 'not.this:one:1.0' */ // nor 'this:one:1.0'
def message = 'not a version: at all'
dependencies {
  implementation 'org.acme:plain:1.0'
  testImplementation("com.squareup:okhttp:\${versions.okhttp}")
  api platform("org.acme:bom:3.0")
  runtimeOnly group: 'org.acme', name: 'mapped', version: '1.1'
  compile "org.acme:classified:2.2:jdk8@jar", 'org.acme:second:[1.0, 2.0)'
  implementation("org.acme:rich") { version { strictly '[1,2['; prefer '1.5' } }
  implementation "org.acme:unknown:$fromElsewhere"
  implementation "org.acme:made:\${major}.\${minor}"
  constraints { implementation 'org.acme:held:1.0!!' }
  dependencySet(group: 'org.acme', version: '7.1') { entry 'one'
    entry('two') }
}
`;
const KOTLIN = `plugins { kotlin("jvm") version "1.9.1" }
val junit by extra("5.10")
extra["e"] = "1.6"
object Versions { const val okio = "3.1" }
dependencies {
  implementation("org.acme", "three", "9.1")
  debugImplementation(group = "org.acme", name = "argued", version = junit)
  androidTestImplementation("org.acme:extra:\${extra["e"]}")
  add("custom", "org.acme:dynamic:1.+")
  implementation("com.squareup:okio:\${Versions.okio}")
  testImplementation(libs.by.module)
  testRuntimeOnly libs.bundles.checks, libs.short
  implementation(platform(libs.one))
  implementation("org.acme:shared-three:\${libs.versions.shared.get()}")
}
`;
const CATALOG = `[versions]
shared = "2.0"
rich = { strictly = "[1.0, 2.0[", prefer = "1.7" }
[libraries]
short = "org.acme:short:1.0" # why
by-module = { module = "org.acme:by-module", version = "1.1" }
one = { group = "org.acme", name = "shared-one", version.ref = "shared" }
two = { module = "org.acme:shared-two", version.ref = "shared" }
rich = { module = "org.acme:catalog-rich", version.ref = "rich" }
none = { module = "org.acme:no-version" }
[bundles]
checks = ["two", "rich"]
[plugins]
p = { id = "com.acme.catalog", version.ref = "shared" }
q = "com.acme.quick:4.2"
`;
const WRAPPER = `distributionBase=GRADLE_USER_HOME
distributionUrl=https\\://services.gradle.org/distributions/gradle-8.5-bin.zip
`;
const everything = {
  "settings.gradle": `include ':app', ":lib:core"\nincludeBuild("logic")\nproject(':app').projectDir = file('application')\n`,
  "build.gradle": GROOVY,
  "gradle/more.gradle": `ext.more = '1'\ndependencies { implementation "org.acme:applied:$more" }\n`,
  "gradle/libs.versions.toml": CATALOG,
  "gradle.properties": "org.gradle.jvmargs=-Xmx1g\nprop.version = 6.1\n",
  "lib/core/build.gradle.kts": KOTLIN,
  "application/build.gradle": `dependencies { implementation "org.acme:by-property:\${project.property('prop.version')}" }\n`,
  "logic/build.gradle.kts": `dependencies { implementation("org.acme:in-logic:1.4") }\n`,
  "buildSrc/src/main/kotlin/Deps.kt": `object Deps { const val x = "org.acme:in-source:1.3" }\n`,
  "gradle/wrapper/gradle-wrapper.properties": WRAPPER,
  "unrelated/build.gradle": "dependencies { implementation 'org.acme:unrelated:1' }\n",
};

/** Reads files until the manager requests no more. */
function read(files: Readonly<Record<string, string>>): ProjectSources {
  return asWanted(gradle, repository(files));
}

test("projects, included builds, applied scripts and catalogs are read, and nothing else", (t) => {
  t.deepEqual(
    [...read(everything).files.keys()].sort(),
    Object.keys(everything)
      .filter((name) => !name.startsWith("unrelated"))
      .sort(),
  );
  t.deepEqual([...read({ "a/build.gradle": "", "gradle.properties": "" }).files], []);
});

test("every declaration is found, with its kind", (t) => {
  const { dependencies, broken } = gradle.parse(read(everything), none);
  t.deepEqual(broken, []);
  const rows = dependencies.map(({ name, current, development, declarations, together }) => {
    const versions = declarations.map(({ section, requirement }) => `${section} ${requirement}`);
    const word = together === undefined ? "" : ` (${together})`;
    return `${name} ${current ?? "-"}: ${versions.join(", ")}${development ? " dev" : ""}${word}`;
  });
  t.deepEqual(rows.sort(), [
    "com.acme.catalog 2.0: plugins 2.0 (gradle/libs.versions.toml versions.shared)",
    "com.acme.quick 4.2: plugins 4.2",
    "com.acme.tool 1.2: plugins 1.2",
    "com.squareup:okhttp 4.1: testImplementation 4.1 dev",
    "com.squareup:okio 3.1: implementation 3.1",
    "gradle-wrapper 8.5: wrapper 8.5 dev",
    "org.acme:applied 1: implementation 1",
    "org.acme:argued 5.10: debugImplementation 5.10 dev",
    "org.acme:bom 3.0: api 3.0",
    "org.acme:by-module 1.1: libraries 1.1 dev",
    "org.acme:by-property 6.1: implementation 6.1",
    "org.acme:catalog-rich 1.7: libraries [1.0, 2.0[, libraries 1.7 dev",
    "org.acme:classified 2.2: compile 2.2",
    "org.acme:dynamic 1: custom 1.+",
    "org.acme:extra 1.6: androidTestImplementation 1.6 dev",
    "org.acme:held 1.0: implementation 1.0!!",
    "org.acme:in-logic 1.4: implementation 1.4",
    "org.acme:in-source 1.3: x 1.3",
    "org.acme:mapped 1.1: runtimeOnly 1.1",
    "org.acme:one 7.1: dependencySet 7.1",
    "org.acme:plain 1.0: implementation 1.0",
    "org.acme:rich 1.5: implementation [1,2[, implementation 1.5",
    "org.acme:second 1.0: compile [1.0, 2.0)",
    "org.acme:shared-one 2.0: libraries 2.0 (gradle/libs.versions.toml versions.shared)",
    "org.acme:shared-three 2.0: implementation 2.0 (gradle/libs.versions.toml versions.shared)",
    "org.acme:shared-two 2.0: libraries 2.0 dev (gradle/libs.versions.toml versions.shared)",
    "org.acme:short 1.0: libraries 1.0 dev",
    "org.acme:three 9.1: implementation 9.1",
    "org.acme:two 7.1: dependencySet 7.1",
    "org.acme:unknown -: ",
    "org.jetbrains.kotlin.jvm 1.9.1: plugins 1.9.1",
    "org.jetbrains.kotlin:kotlin-gradle-plugin 1.9.0: classpath 1.9.0",
    "org.spring 5.0.1: plugins 5.0.1",
  ]);
});

test("repositories: the instance's, else those of the build, Google's and Maven Central; for plugins the portal first", (t) => {
  const originOf = (name: string, settings = none): readonly (string | undefined)[] => {
    const found = gradle.parse(read(everything), settings).dependencies;
    const one = found.find((each) => each.name === name);
    return [one?.origin.kind === "registry" ? one.origin.url : undefined, one?.extra?.repositories];
  };
  const rest = "https://dl.google.com/dl/android/maven2 https://repo.maven.apache.org/maven2";
  t.deepEqual(originOf("org.acme:plain"), ["https://maven.acme.example/releases", rest]);
  t.deepEqual(originOf("com.acme.tool"), [
    "https://plugins.gradle.org/m2",
    `https://maven.acme.example/releases ${rest}`,
  ]);
  const own = { registries: [{ manager: "gradle" as const, url: "https://own.example/m2/" }] };
  t.deepEqual(originOf("org.acme:plain", own), ["https://own.example/m2", undefined]);
});

test("a catalog that is not TOML is broken, and the rest is parsed", (t) => {
  const found = gradle.parse(
    read({ "build.gradle": GROOVY, "gradle/libs.versions.toml": "[versions\na=1" }),
    none,
  );
  t.regex(found.broken[0]?.why ?? "", /^gradle\/libs\.versions\.toml:\d+ is not TOML/);
  t.true(found.dependencies.some(({ name }) => name === "org.acme:plain"));
});

test("parsing any script never throws, and every range holds its requirement", (t) => {
  const bit = fc.constantFrom(
    ...[
      "'a.b:c:1.0'",
      '"a:b:$v"',
      "ext {",
      "}",
      "[",
      "]",
      "(",
      ")",
      "v = '1'",
      "id 'x' version '2'",
    ],
    ...["/*", "*/", "//", '"""', "'''", "\n", "group: 'g', name: 'n', version: '3'", "object O {"],
    ...[
      "implementation",
      "entry 'e'",
      "by extra('1')",
      "mapOf('a' to '1')",
      "'a:b') { version { prefer '1' } }",
    ],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(bit, fc.string()), { maxLength: 30 }), (bits) => {
      const text = bits.join(" ");
      for (const { declarations } of gradle.parse(read({ "build.gradle": text }), none)
        .dependencies)
        for (const { range, requirement } of declarations)
          t.is(text.slice(range.start, range.end), requirement);
    }),
  );
});

async function updated(
  files: Readonly<Record<string, string>>,
  names: readonly string[],
  settings: ManagerSettings,
  tools: Tools,
): Promise<UpdateEdit> {
  const sources = read(files);
  const found = gradle.parse(sources, settings);
  const changes = await Promise.all(
    found.dependencies
      .filter(({ name }) => names.includes(name))
      .map(async (dependency) => {
        const decision = await propose({
          ...{ manager: gradle, dependency, runtime: {}, library: false, advisories: [], now: 0 },
          policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
          lookup: tools.lookup.fresh(),
        });
        if (decision.kind !== "update") throw new Error(decision.why);
        return decision.change;
      }),
  );
  return gradle.update({ sources, settings, changes }, tools);
}

const from = ({ url }: MavenRepository): ManagerSettings => ({
  registries: [{ manager: "gradle", url }],
});

test("a catalog's version moves all entries that refer to it, plugins too", async (t) => {
  await using registry = await mavenRepository();
  await using tools = workshop();
  const marker = "com.acme.catalog:com.acme.catalog.gradle.plugin";
  const shared = ["one", "two", "three"].map((each) => `org.acme:shared-${each}`);
  const all = [...shared, marker];
  for (const name of all) for (const version of ["2.0", "2.1"]) registry.publish(name, version);
  registry.publish(all[0] ?? "", "3.0");
  const names = [...shared, "com.acme.catalog"];
  const edit = await updated(everything, names, from(registry), tools);
  t.deepEqual(
    [...edit.files],
    [["gradle/libs.versions.toml", CATALOG.replace('shared = "2.0"', 'shared = "2.1"')]],
  );
  t.is(edit.lock.kind, "absent");
});

test("the wrapper changes together with its digest", async (t) => {
  const digest = "b".repeat(64);
  const server = createServer(({ url }, response) => {
    if (url === "/versions/all")
      return response.end(
        JSON.stringify([
          { version: "8.8", buildTime: "20240531214656+0000" },
          { version: "8.9", buildTime: "20240711140000+0000", broken: true },
          { version: "9.0-rc-1", buildTime: "20250711140000+0000" },
          { version: "9.1-20250101", snapshot: true },
        ]),
      );
    const known = url === "/distributions/gradle-8.8-bin.zip.sha256";
    return response.writeHead(known ? 200 : 404).end(known ? digest : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await using tools = workshop();
    const url = urlOf(server);
    const properties = WRAPPER.replace("https\\://services.gradle.org", url.replace(":", "\\:"));
    const settings: ManagerSettings = {
      registries: [{ manager: "gradle", url, scope: "gradle-wrapper" }],
    };
    const file = "gradle/wrapper/gradle-wrapper.properties";
    const start = `${properties}distributionSha256Sum=${"a".repeat(64)}\n`;
    const files = { "build.gradle": "", [file]: start };
    const edit = await updated(files, ["gradle-wrapper"], settings, tools);
    t.is(edit.files.get(file), start.replace("8.5", "8.8").replace("a".repeat(64), digest));
    t.is(edit.lock.kind, "absent");
    const elsewhere = start.replace("/distributions/", "/mirror/");
    const other = await updated(
      { "build.gradle": "", [file]: elsewhere },
      ["gradle-wrapper"],
      settings,
      tools,
    );
    t.is(other.lock.kind, "stale");
  } finally {
    await closed(server);
  }
});
