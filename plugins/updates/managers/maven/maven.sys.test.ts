/** POMs with every form of version, and a repository over HTTP. */
import test from "ava";
import fc from "fast-check";
import { propose } from "../../decide/propose.js";
import { asWanted, repository, workshop } from "../../testing/manager-fixture.js";
import { mavenRepository } from "../../testing/maven-repository.js";
import type { ManagerSettings, ProjectSources, Tools } from "../contract.js";
import { maven } from "./manager.js";

const none: ManagerSettings = { registries: [] };

const ROOT = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent>
    <groupId>org.acme</groupId><artifactId>above</artifactId><version>7</version>
    <relativePath/>
  </parent>
  <groupId>app</groupId>
  <artifactId>root</artifactId>
  <version>1-SNAPSHOT</version>
  <modules><module>core</module><module>web/pom.xml</module><module>../outside</module></modules>
  <properties>
    <jackson.version>2.17.0</jackson.version>
    <indirect>\${jackson.version}</indirect>
    <group>org.acme</group>
  </properties>
  <repositories>
    <repository><id>a</id><url>https://maven.acme.example/releases/</url></repository>
    <repository><id>b</id><url>https://maven.acme.example/\${env.SECRET}</url></repository>
    <repository><id>c</id><url>https://snapshots.example</url><releases><enabled>false</enabled></releases></repository>
  </repositories>
  <dependencyManagement><dependencies>
    <dependency><groupId>com.fasterxml</groupId><artifactId>core</artifactId><version>\${jackson.version}</version></dependency>
    <dependency><groupId>com.fasterxml</groupId><artifactId>databind</artifactId><version>\${indirect}</version></dependency>
    <dependency><groupId>org.acme</groupId><artifactId>bom</artifactId><version>3.1</version><type>pom</type><scope>import</scope></dependency>
  </dependencies></dependencyManagement>
  <build>
    <plugins>
      <plugin><artifactId>maven-jar-plugin</artifactId><version>3.3.0</version>
        <dependencies><dependency><groupId>org.acme</groupId><artifactId>for-plugin</artifactId><version>1.1</version></dependency></dependencies>
      </plugin>
      <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.11.0</version>
        <configuration><annotationProcessorPaths><path><groupId>org.acme</groupId><artifactId>processor</artifactId><version>1.2</version></path></annotationProcessorPaths></configuration>
        <executions><execution><configuration><artifactItems><artifactItem><groupId>org.acme</groupId><artifactId>unpacked</artifactId><version>1.4</version></artifactItem></artifactItems></configuration></execution></executions>
      </plugin>
    </plugins>
    <extensions><extension><groupId>org.acme</groupId><artifactId>wagon</artifactId><version>3.5.3</version></extension></extensions>
  </build>
  <profiles><profile><id>x</id><dependencies>
    <dependency><groupId>org.acme</groupId><artifactId>in-profile</artifactId><version>1.3<!-- why --></version></dependency>
  </dependencies></profile></profiles>
</project>
`;

const CORE = `<project>
  <parent><groupId>app</groupId><artifactId>root</artifactId><version>1-SNAPSHOT</version></parent>
  <artifactId>core</artifactId>
  <dependencies>
    <dependency><groupId>com.fasterxml</groupId><artifactId>core</artifactId></dependency>
    <dependency><groupId>\${group}</groupId><artifactId>tested</artifactId><version>[4.1,5)</version><scope>test</scope></dependency>
    <dependency><groupId>org.acme</groupId><artifactId>mystery</artifactId><version>\${from.settings}</version></dependency>
  </dependencies>
</project>
`;

const WEB = `<project>
  <parent><groupId>app</groupId><artifactId>root</artifactId><version>1-SNAPSHOT</version></parent>
  <artifactId>web</artifactId>
  <dependencies>
    <dependency><groupId>app</groupId><artifactId>core</artifactId><version>\${project.version}</version></dependency>
    <dependency><groupId>org.acme</groupId><artifactId>tested</artifactId><version>4.2</version></dependency>
  </dependencies>
</project>
`;

const WRAPPER = `wrapperVersion=3.3.2
distributionUrl=https\\://repo.maven.apache.org/maven2/org/apache/maven/apache-maven/3.9.6/apache-maven-3.9.6-bin.zip
wrapperUrl=https://repo.maven.apache.org/maven2/org/apache/maven/wrapper/maven-wrapper/3.2.0/maven-wrapper-3.2.0.jar
`;

const everything = {
  "pom.xml": ROOT,
  "core/pom.xml": CORE,
  "web/pom.xml": WEB,
  "unrelated/pom.xml": "<project/>",
  ".mvn/extensions.xml": `<extensions><extension><groupId>org.acme</groupId><artifactId>cache</artifactId><version>1.2.0</version></extension></extensions>`,
  ".mvn/wrapper/maven-wrapper.properties": WRAPPER,
};

/** Reads files until the manager requests no more. */
function wanted(files: Readonly<Record<string, string>>): readonly string[] {
  return [...asWanted(maven, repository(files)).files.keys()].sort();
}

test("modules, parents, extensions and the wrapper are read, and nothing else", (t) => {
  t.deepEqual(
    wanted(everything),
    Object.keys(everything)
      .filter((name) => !name.startsWith("unrelated"))
      .sort(),
  );
  t.deepEqual(wanted({ "a/pom.xml": ROOT }), []);
});

test("a parent above the directory is read, and its properties are edited there", (t) => {
  const sources = repository(everything, { directory: "/core" });
  t.deepEqual([...maven.filesToRead(sources)].slice(0, 2), ["core/pom.xml", "pom.xml"]);
});

test("every declaration is found, with its kind", (t) => {
  const { dependencies, broken } = maven.parse(repository(everything), none);
  t.deepEqual(broken, []);
  const rows = dependencies.map(
    ({ name, current, development, declarations, origin, together }) =>
      `${name} ${current ?? "-"} ${declarations.map(({ section }) => section).join("+") || origin.kind}${development ? " dev" : ""}${together === undefined ? "" : ` (${together})`}`,
  );
  t.deepEqual(rows.sort(), [
    "com.fasterxml:core 2.17.0 dependencyManagement (pom.xml jackson.version)",
    "com.fasterxml:databind 2.17.0 dependencyManagement (pom.xml jackson.version)",
    "org.acme:above 7 parent",
    "org.acme:bom 3.1 dependencyManagement",
    "org.acme:cache 1.2.0 extensions dev",
    "org.acme:for-plugin 1.1 plugins dev",
    "org.acme:in-profile 1.3 dependencies",
    "org.acme:mystery - none",
    "org.acme:processor 1.2 annotationProcessorPaths dev",
    "org.acme:tested 4.1 dependencies+dependencies",
    "org.acme:unpacked 1.4 artifactItems dev",
    "org.acme:wagon 3.5.3 extensions dev",
    "org.apache.maven.plugins:maven-compiler-plugin 3.11.0 plugins dev",
    "org.apache.maven.plugins:maven-jar-plugin 3.3.0 plugins dev",
    "org.apache.maven.wrapper:maven-wrapper 3.2.0 wrapper+wrapper dev",
    "org.apache.maven:apache-maven 3.9.6 wrapper+wrapper dev",
  ]);
});

test("repositories: the instance's by the longest group, else those of the POM before Maven Central", (t) => {
  const originOf = (settings: ManagerSettings): readonly (string | undefined)[] => {
    const found = maven.parse(repository(everything), settings).dependencies;
    const bom = found.find(({ name }) => name === "org.acme:bom");
    return [bom?.origin.kind === "registry" ? bom.origin.url : undefined, bom?.extra?.repositories];
  };
  t.deepEqual(originOf(none), [
    "https://maven.acme.example/releases",
    "https://repo.maven.apache.org/maven2",
  ]);
  const manager = "maven" as const;
  t.deepEqual(
    originOf({
      registries: [
        { manager, url: "https://mirror.example/" },
        { manager, url: "https://acme.example", scope: "org.acme" },
        { manager, url: "https://other.example", scope: "org.ac" },
      ],
    }),
    ["https://acme.example", undefined],
  );
});

const broken: ReadonlyArray<readonly [what: string, text: string, why: RegExp]> = [
  ["no XML", "hello", /^pom\.xml cannot be read as XML: /],
  ["cut off", "<project><dependencies>", /unclosed tag/],
  ["another document", "<html/>", /^pom\.xml has no <project>\.$/],
  ["very deep", `${"<a>".repeat(5000)}${"</a>".repeat(5000)}`, /nested too deeply/],
];
for (const [what, text, why] of broken)
  test(`a POM that is ${what} is broken, and the other is parsed`, (t) => {
    const found = maven.parse(
      repository({ "pom.xml": text, ".mvn/wrapper/maven-wrapper.properties": WRAPPER }),
      none,
    );
    t.regex(found.broken[0]?.why ?? "", why);
    t.is(found.dependencies.length, 2);
  });

test("parsing any POM never throws", (t) => {
  const bit = fc.constantFrom(
    ...["<project>", "</project>", "<dependencies>", "<dependency>", "<version>", "</version>"],
    ...["${a}", "${project.version}", "<properties>", "<a>${b}</a>", "<b>${a}</b>", "1.0", "&amp;"],
    ...["<!--", "-->", "<![CDATA[", "]]>", "<parent>", "<relativePath>", "../pom.xml", "pom.xml"],
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(bit, fc.string()), { maxLength: 30 }), (bits) => {
      const found = maven.parse(repository({ "pom.xml": bits.join("") }), none);
      t.true(found.broken.length <= 1);
    }),
  );
});

const decided = async (
  sources: ProjectSources,
  name: string,
  url: string,
  tools: Tools,
  dates = false,
) => {
  const settings: ManagerSettings = { registries: [{ manager: "maven", url }] };
  const found = maven.parse(sources, settings);
  const dependency = found.dependencies.find((each) => each.name === name);
  if (!dependency) throw new Error(name);
  return propose({
    manager: maven,
    dependency,
    runtime: {},
    library: false,
    advisories: [],
    policy: {
      lockfileOnly: false,
      securityOnly: false,
      ignore: [],
      ...(dates ? { cooldown: 1000 } : {}),
    },
    lookup: tools.lookup.fresh(),
    now: Date.parse("2026-01-01T00:00:00.500Z"),
  });
};

test("artifacts that share a property move to a version that all have, and that has a POM", async (t) => {
  await using registry = await mavenRepository();
  await using tools = workshop();
  for (const version of ["2.17.0", "2.17.1", "2.18.0"]) {
    registry.publish("com.fasterxml:core", version);
    if (version !== "2.18.0") registry.publish("com.fasterxml:databind", version);
  }
  registry.announce("com.fasterxml:core", "2.17.2");
  registry.announce("com.fasterxml:databind", "2.17.2");
  const sources = repository(everything);
  const decisions = await Promise.all(
    ["com.fasterxml:core", "com.fasterxml:databind"].map((name) =>
      decided(sources, name, registry.url, tools),
    ),
  );
  const changes = decisions.flatMap((each) => (each.kind === "update" ? [each.change] : []));
  t.deepEqual(
    changes.map(({ to }) => to.version),
    ["2.17.1", "2.17.1"],
  );
  const edit = await maven.update({ sources, settings: none, changes }, tools);
  t.deepEqual([...edit.files], [["pom.xml", ROOT.replace("2.17.0", "2.17.1")]]);
  t.is(edit.lock.kind, "absent");
});

test("the wrapper's URL changes in both places; its digests are reported as stale", async (t) => {
  await using registry = await mavenRepository();
  await using tools = workshop();
  registry.publish("org.apache.maven:apache-maven", "3.9.9");
  registry.publish("org.apache.maven:apache-maven", "4.0.0-rc-2");
  const properties = `${WRAPPER}distributionSha256Sum=abc\n`;
  const file = ".mvn/wrapper/maven-wrapper.properties";
  const sources = repository({ ...everything, [file]: properties });
  const decision = await decided(sources, "org.apache.maven:apache-maven", registry.url, tools);
  if (decision.kind !== "update") return t.fail();
  const edit = await maven.update({ sources, settings: none, changes: [decision.change] }, tools);
  t.is(edit.files.get(file), properties.replaceAll("3.9.6", "3.9.9"));
  t.is(edit.lock.kind, "stale");
});

test("a release that is too young waits, an artifact that no repository has is unknown", async (t) => {
  await using registry = await mavenRepository();
  await using tools = workshop();
  registry.publish("org.acme:bom", "3.2");
  const sources = repository(everything);
  const young = await decided(sources, "org.acme:bom", registry.url, tools, true);
  t.is(young.kind === "none" ? young.reason : "", "cooling_down");
  await t.throwsAsync(decided(sources, "org.acme:above", registry.url, tools), {
    code: "package_unknown",
  });
});

test("the POM names the source repository of a release", async (t) => {
  await using registry = await mavenRepository();
  await using tools = workshop();
  registry.publish(
    "org.acme:bom",
    "3.2",
    "<scm><url>https://github.com/acme/bom/tree/main</url></scm>",
  );
  const [dependency] = maven
    .parse(repository(everything), { registries: [{ manager: "maven", url: registry.url }] })
    .dependencies.filter(({ name }) => name === "org.acme:bom");
  if (!dependency) return t.fail();
  t.deepEqual(await maven.source?.(dependency, { version: "3.2" }, tools.lookup), {
    url: "https://github.com/acme/bom",
  });
});

for (const written of [
  "org.acme:bom",
  "org.acme:bom:3.1",
  "pkg:maven/org.acme/bom@3.1",
  " org.acme:bom ",
])
  test(`an announcement of "${written}" is about org.acme:bom`, (t) => {
    t.is(maven.normalize(written), "org.acme:bom");
  });
