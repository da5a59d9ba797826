/** Lock files of every form: refreshed where one line is all that changes, else stale with the reason. */
import test from "ava";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { type MavenRepository, mavenRepository } from "../../testing/maven-repository.js";
import { updatedBy } from "../../testing/propose-update.js";
import type { UpdateEdit } from "../contract.js";
import { gradle } from "./manager.js";

const LOCK = `# This is a Gradle generated file for dependency locking.
# Manual edits can break the build and are not advised.
# This file is expected to be part of source control.
org.acme:base:1.5=compileClasspath,runtimeClasspath
org.acme:mock:1.0=testCompileClasspath
org.acme:plain:1.0=compileClasspath
empty=annotationProcessor
`;
const BUILD = "dependencies { implementation 'org.acme:plain:1.0' }\n";

const needs = (name: string, version: string): string =>
  `<dependencies><dependency><groupId>org.acme</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency><dependency><groupId>org.acme</groupId><artifactId>in-tests</artifactId><version>1</version><scope>test</scope></dependency></dependencies>`;

async function moved(
  files: Readonly<Record<string, string>>,
  name = "org.acme:plain",
  publish = (registry: MavenRepository): void => {
    for (const version of ["1.0", "1.1"]) registry.publish("org.acme:plain", version);
  },
): Promise<UpdateEdit> {
  await using registry = await mavenRepository();
  await using tools = workshop();
  publish(registry);
  return await updatedBy({
    ...{ manager: gradle, sources: repository(files), name, tools },
    settings: { registries: [{ manager: "gradle", url: registry.url }] },
  });
}
const outcome = ({ lock }: UpdateEdit): string => (lock.kind === "stale" ? lock.note : lock.kind);

const graphs: ReadonlyArray<
  readonly [what: string, before: string, after: string, outcome: RegExp]
> = [
  ["needs nothing", "", "", /^refreshed$/],
  ["needs the same", needs("base", "1.0"), needs("base", "1.5"), /^refreshed$/],
  [
    "needs a newer version",
    needs("base", "1.0"),
    needs("base", "1.6"),
    /plain 1\.1 needs org\.acme:base 1\.6/,
  ],
  [
    "needs an older version, and the old one may be the reason for the lock",
    needs("base", "1.5"),
    needs("base", "1.0"),
    /no longer needs org\.acme:base 1\.5/,
  ],
  [
    "needs an older version that does not matter",
    needs("base", "1.4"),
    needs("base", "1.0"),
    /^refreshed$/,
  ],
  [
    "excludes a transitive dependency",
    needs("base", "1.0"),
    needs("base", "1.0").replace(
      "</version>",
      "</version><exclusions><exclusion><groupId>*</groupId></exclusion></exclusions>",
    ),
    /needs org\.acme:base with another scope/,
  ],
  [
    "needs a dependency only at runtime",
    needs("base", "1.0"),
    needs("base", "1.0").replace("</version>", "</version><scope>runtime</scope>"),
    /needs org\.acme:base with another scope/,
  ],
  ["needs another locked artifact", "", needs("base", "1.0"), /^refreshed$/],
  [
    "needs an artifact that only tests have",
    "",
    needs("mock", "1.0"),
    /mock, which is not locked in all/,
  ],
  ["needs a new artifact", "", needs("other", "1.0"), /needs org\.acme:other, which is not locked/],
  ["no longer needs an artifact", needs("base", "1.0"), "", /no longer needs org\.acme:base/],
  [
    "does not state all its dependencies",
    "",
    needs("base", "${base.version}"),
    /does not state all/,
  ],
  [
    "has Gradle metadata",
    "",
    "<!-- do_not_remove: published-with-gradle-metadata -->",
    /does not state all/,
  ],
];
for (const [what, before, after, expected] of graphs)
  test(`the lock file, where the new version ${what}`, async (t) => {
    const files = { "build.gradle": BUILD, "gradle.lockfile": LOCK };
    const edit = await moved(files, "org.acme:plain", (registry) => {
      registry.publish("org.acme:plain", "1.0", before);
      registry.publish("org.acme:plain", "1.1", after);
    });
    t.regex(outcome(edit), expected);
    t.is(
      edit.files.get("gradle.lockfile"),
      edit.lock.kind === "refreshed" ? LOCK.replace("plain:1.0", "plain:1.1") : undefined,
    );
  });

const configurationCases: ReadonlyArray<
  readonly [declared: string, configurations: string, outcome: RegExp]
> = [
  ["implementation", "compileClasspath,runtimeClasspath,testCompileClasspath", /^refreshed$/],
  ["testImplementation", "testCompileClasspath,testRuntimeClasspath", /^refreshed$/],
  ["testImplementation", "compileClasspath,testCompileClasspath", /compileClasspath has/],
  ["compileOnly", "compileClasspath", /^refreshed$/],
  ["compileOnly", "compileClasspath,runtimeClasspath", /runtimeClasspath has/],
  ["runtimeOnly", "runtimeClasspath,testRuntimeClasspath", /^refreshed$/],
  ["annotationProcessor", "annotationProcessor", /^refreshed$/],
  ["implementation", "annotationProcessor,compileClasspath", /annotationProcessor has/],
  ["debugImplementation", "debugCompileClasspath,debugRuntimeClasspath", /^refreshed$/],
  ["checkstyle", "checkstyle", /^refreshed$/],
  ["api", "compileClasspath,kotlinCompilerClasspath", /kotlinCompilerClasspath has/],
];
for (const [declared, configurations, expected] of configurationCases)
  test(`an artifact of ${declared}, locked for ${configurations}`, async (t) => {
    const files = {
      "build.gradle": BUILD.replace("implementation", declared),
      "gradle.lockfile": `org.acme:plain:1.0=${configurations}\nempty=\n`,
    };
    t.regex(outcome(await moved(files)), expected);
  });

test("before Gradle 7 every configuration has its own file in every project", async (t) => {
  const files = {
    "settings.gradle": "include 'app'\n",
    "build.gradle": "",
    "app/build.gradle": BUILD,
    "app/gradle/dependency-locks/compileClasspath.lockfile": "# by Gradle\norg.acme:plain:1.0\n",
    "app/gradle/dependency-locks/runtimeClasspath.lockfile": "org.acme:plain:1.0\r\n",
    "gradle/dependency-locks/buildscript-classpath.lockfile": "org.acme:tool:1.0\n",
    "other/gradle/dependency-locks/x.lockfile": "org.acme:plain:1.0\n",
  };
  const wanted = gradle.filesToRead(repository(files));
  t.deepEqual(
    Object.keys(files).filter((path) => !wanted.includes(path)),
    ["other/gradle/dependency-locks/x.lockfile"],
  );
  const { "other/gradle/dependency-locks/x.lockfile": _unread, ...read } = files;
  const edit = await moved(read);
  t.is(outcome(edit), "refreshed");
  t.deepEqual(
    [...edit.files],
    [
      ["app/build.gradle", BUILD.replace("1.0", "1.1")],
      [
        "app/gradle/dependency-locks/compileClasspath.lockfile",
        "# by Gradle\norg.acme:plain:1.1\n",
      ],
      ["app/gradle/dependency-locks/runtimeClasspath.lockfile", "org.acme:plain:1.1\r\n"],
    ],
  );
});

test("an artifact in two versions is not changed, and a newer lock file stays", async (t) => {
  const twice = "org.acme:plain:0.9=testRuntimeClasspath\norg.acme:plain:1.0=compileClasspath\n";
  t.regex(
    outcome(await moved({ "build.gradle": BUILD, "gradle.lockfile": twice })),
    /has org\.acme:plain in versions 0\.9 and 1\.0/,
  );
  const edit = await moved({
    "settings.gradle": "include 'app'\n",
    "build.gradle": BUILD,
    "gradle.lockfile": "org.acme:plain:1.0=compileClasspath\n",
    "app/build.gradle": "",
    "app/gradle.lockfile": "org.acme:plain:1.7=compileClasspath\n",
  });
  t.is(outcome(edit), "refreshed");
  t.deepEqual([...edit.files.keys()], ["build.gradle", "gradle.lockfile"]);
});

test("a plugin is locked as its marker, with the dependencies of the marker", async (t) => {
  const files = {
    "build.gradle": "plugins { id 'com.acme.tool' version '1.0' }\n",
    "buildscript-gradle.lockfile":
      "com.acme.tool:com.acme.tool.gradle.plugin:1.0=classpath\norg.acme:tool:1.0=classpath\nempty=\n",
  };
  const marker = "com.acme.tool:com.acme.tool.gradle.plugin";
  const edit = await moved(files, "com.acme.tool", (registry) => {
    for (const version of ["1.0", "1.1"]) registry.publish(marker, version, needs("tool", version));
  });
  t.regex(outcome(edit), /gradle\.plugin 1\.1 needs org\.acme:tool 1\.1/);
});

test("lock files stay stale for platforms and plugins that may decide versions", async (t) => {
  const lock = { "gradle.lockfile": "org.acme:other:1.0=compileClasspath\n" };
  const bom = "dependencyManagement { imports { mavenBom 'org.acme:plain:1.0' } }\n";
  for (const build of [bom, "dependencies { implementation platform('org.acme:plain:1.0') }\n"])
    t.regex(
      outcome(await moved({ ...lock, "build.gradle": build })),
      /org\.acme:plain decides versions of other artifacts/,
    );
  const plugin = { ...lock, "build.gradle": "plugins { id 'com.acme.tool' version '1.0' }\n" };
  const edit = await moved(plugin, "com.acme.tool", (registry) => {
    for (const version of ["1.0", "1.1"])
      registry.publish("com.acme.tool:com.acme.tool.gradle.plugin", version);
  });
  t.regex(outcome(edit), /com\.acme\.tool decides versions of other artifacts/);
  t.is(outcome(await moved({ "build.gradle": bom })), "absent");
});

test("libraries of a catalog are locked where scripts use them", async (t) => {
  const files = {
    "build.gradle": "dependencies { testImplementation(libs.bundles.checks) }\n",
    "gradle/libs.versions.toml": `[libraries]\nplain-one = "org.acme:plain:1.0"\n[bundles]\nchecks = ["plain-one"]\n`,
    "gradle.lockfile": "org.acme:plain:1.0=testCompileClasspath,testRuntimeClasspath\n",
  };
  t.is(outcome(await moved(files)), "refreshed");
  const inMain = { ...files, "gradle.lockfile": "org.acme:plain:1.0=runtimeClasspath\n" };
  t.regex(outcome(await moved(inMain)), /runtimeClasspath has org\.acme:plain, too/);
  t.regex(
    outcome(await moved({ ...files, "build.gradle": "" })),
    /no build script uses org\.acme:plain/,
  );
});

test("checksums of a new version are reported as missing", async (t) => {
  const component = (version: string): string =>
    `<component group="org.acme" name="plain" version="${version}"><artifact name="plain-${version}.jar"><sha256 value="00"/></artifact></component>`;
  const metadata = (...components: readonly string[]): string =>
    `<?xml version="1.0"?>\n<verification-metadata><components>${components.join("")}</components></verification-metadata>\n`;
  const file = "gradle/verification-metadata.xml";
  const files = { "build.gradle": BUILD, [file]: metadata(component("1.0")) };
  t.true(gradle.filesToRead(repository(files)).includes(file));
  t.is(
    outcome(await moved(files)),
    `${file} has no checksums of org.acme:plain 1.1: run \`./gradlew --write-verification-metadata sha256 dependencies\`.`,
  );
  const both = metadata(component("1.0"), component("1.1"));
  t.is(outcome(await moved({ ...files, [file]: both })), "absent");
  t.is(outcome(await moved({ ...files, [file]: metadata() })), "absent");
  t.is(outcome(await moved({ ...files, [file]: "no XML" })), "absent");
});
