/** Unusual shapes of real repositories. */
import test from "ava";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { mavenRepository } from "../../testing/maven-repository.js";
import { updatedBy } from "../../testing/propose-update.js";
import type { ManagerSettings } from "../contract.js";
import { maven } from "./manager.js";

type Texts = Readonly<Record<string, string>>;

const gav = (name: string, version?: string): string => {
  const [group = "", artifact = ""] = name.split(":");
  const said = version === undefined ? "" : `<version>${version}</version>`;
  return `<groupId>${group}</groupId><artifactId>${artifact}</artifactId>${said}`;
};
const parent = (name: string, version: string, path = ""): string =>
  `<parent>${gav(name, version)}${path}</parent>`;
const uses = (...list: readonly (readonly [name: string, version: string])[]): string =>
  `<dependencies>${list.map(([name, version]) => `<dependency>${gav(name, version)}</dependency>`).join("")}</dependencies>`;

interface Shape {
  readonly what: string;
  readonly files: Texts;
  /** `name version: where`, one a line. */
  readonly found: readonly string[];
}

const shapes: readonly Shape[] = [
  {
    what: "what stands above only lists modules, and is no parent",
    files: {
      "pom.xml": `<project>${gav("app:all", "1")}<properties><acme.version>1.0</acme.version></properties><modules><module>web</module></modules></project>`,
      "web/pom.xml": `<project>${parent("org.boot:parent", "3.0")}<artifactId>web</artifactId>${uses(["org.acme:a", "${acme.version}"])}</project>`,
    },
    found: [
      "org.acme:a -: web/pom.xml takes the version of org.acme:a from ${acme.version}, which the repository does not define.",
      "org.boot:parent 3.0: parent",
    ],
  },
  {
    what: "the project's own version is no version of others",
    files: {
      "pom.xml": `<project>${gav("app:all", "1.2")}<modules><module>web</module></modules>${uses(["org.acme:twin", "${project.version}"])}</project>`,
      "web/pom.xml": `<project>${parent("app:all", "1.2")}<artifactId>web</artifactId>${uses(["org.acme:other", "${project.version}"], ["org.acme:third", "${project.parent.version}"])}</project>`,
    },
    found: [
      "org.acme:other -: web/pom.xml takes the version of org.acme:other from ${project.version}, which the repository does not define.",
      "org.acme:third -: web/pom.xml takes the version of org.acme:third from ${project.parent.version}, which the repository does not define.",
      "org.acme:twin -: pom.xml takes the version of org.acme:twin from ${project.version}, which the repository does not define.",
    ],
  },
  {
    what: "the version of a parent from elsewhere is shared with what goes by it",
    files: {
      "pom.xml": `<project>${parent("org.boot:parent", "3.0", "<relativePath/>")}<artifactId>app</artifactId><version>1</version>${uses(["org.boot:plugin", "${project.parent.version}"], ["org.boot:more", "${parent.version}"], ["org.boot:alone", "3.0"])}</project>`,
    },
    found: [
      "org.boot:alone 3.0: dependencies",
      "org.boot:more 3.0: dependencies, with pom.xml project.parent.version",
      "org.boot:parent 3.0: parent, with pom.xml project.parent.version",
      "org.boot:plugin 3.0: dependencies, with pom.xml project.parent.version",
    ],
  },
  {
    what: "modules are called otherwise in the new model",
    files: {
      "pom.xml": `<project>${gav("app:all", "1")}<subprojects><subproject>web</subproject></subprojects></project>`,
      "web/pom.xml": `<project>${parent("app:all", "1")}<artifactId>web</artifactId>${uses(["org.acme:a", "1.0"])}</project>`,
    },
    found: ["org.acme:a 1.0: dependencies"],
  },
  {
    what: "a parent in the repository goes by a property",
    files: {
      "pom.xml": `<project>${gav("app:all", "${revision}")}<properties><revision>1</revision><a.version>1.0</a.version></properties><modules><module>web</module></modules></project>`,
      "web/pom.xml": `<project>${parent("app:all", "${revision}")}<artifactId>web</artifactId>${uses(["org.acme:a", "${a.version}"], ["app:all", "${revision}"])}</project>`,
    },
    found: ["org.acme:a 1.0: dependencies"],
  },
  {
    what: "the same artifact in several kinds",
    files: {
      "pom.xml": `<project>${gav("app:all", "1")}<dependencies><dependency>${gav("org.acme:a", "1.0")}</dependency><dependency>${gav("org.acme:a", "1.0")}<type>test-jar</type><classifier>tests</classifier><scope>test</scope></dependency></dependencies></project>`,
    },
    found: ["org.acme:a 1.0: dependencies, dependencies"],
  },
  {
    what: "a file of the machine's is nothing to update",
    files: {
      "pom.xml": `<project>${gav("app:all", "1")}<dependencies><dependency>${gav("org.acme:a", "1.0")}<scope>system</scope><systemPath>/opt/a.jar</systemPath></dependency></dependencies></project>`,
    },
    found: [],
  },
];
for (const { what, files, found } of shapes)
  test(what, (t) => {
    const { dependencies, broken } = maven.parse(repository(files), { registries: [] });
    t.deepEqual(broken, []);
    const lines = dependencies.map(({ name, current, origin, declarations, together }) => {
      const where = declarations.map(({ section }) => section).join(", ");
      const shared = together === undefined ? "" : `, with ${together}`;
      return `${name} ${current ?? "-"}: ${origin.kind === "none" ? origin.why : where}${shared}`;
    });
    t.deepEqual(lines.sort(), found);
  });

test("another POM at the parent's path is not edited", async (t) => {
  await using registry = await mavenRepository();
  await using tools = workshop();
  registry.publish("org.boot:parent", "3.0");
  for (const name of ["parent", "plugin", "more"])
    for (const version of ["3.1", "3.2"])
      if (name !== "more" || version === "3.1") registry.publish(`org.boot:${name}`, version);
  const files = shapes[2]?.files ?? {};
  const settings: ManagerSettings = { registries: [{ manager: "maven", url: registry.url }] };
  const wanting = { manager: maven, sources: repository(files), tools, settings };
  const edit = await updatedBy({ ...wanting, name: "org.boot:plugin" });
  t.deepEqual(
    [...edit.files],
    [["pom.xml", files["pom.xml"]?.replace("<version>3.0</version>", "<version>3.1</version>")]],
  );
});

const trains: ReadonlyArray<readonly [from: string, published: readonly string[], to: string]> = [
  ["Greenwich.SR6", ["Hoxton.RELEASE"], "Hoxton.RELEASE"],
  ["Hoxton.RELEASE", ["Hoxton.SR1", "Hoxton.SR12", "Hoxton.BUILD-SNAPSHOT"], "Hoxton.SR12"],
  ["Hoxton.RELEASE", ["Hoxton.SR12", "2021.0.9"], "2021.0.9"],
];
for (const [from, published, to] of trains)
  test(`the release train ${from} becomes ${to}`, async (t) => {
    await using registry = await mavenRepository();
    await using tools = workshop();
    for (const version of published) registry.publish("org.acme:train", version);
    const pom = `<project>${uses(["org.acme:train", from])}</project>`;
    const settings: ManagerSettings = { registries: [{ manager: "maven", url: registry.url }] };
    const sources = repository({ "pom.xml": pom });
    const edit = await updatedBy({
      ...{ manager: maven, sources, tools, settings, name: "org.acme:train" },
    });
    t.deepEqual([...edit.files], [["pom.xml", pom.replace(from, to)]]);
  });

const answers: ReadonlyArray<readonly [what: string, metadata: string, outcome: RegExp]> = [
  [
    "no list",
    "<metadata><groupId>org.acme</groupId></metadata>",
    /^No offered version is comparable/,
  ],
  [
    "an empty list",
    "<metadata><versioning><versions/></versioning></metadata>",
    /^No offered version is comparable/,
  ],
  ["an error page", "<html><body>Oops<br></body></html>", /is invalid/],
  ["nothing", "", /is invalid/],
  [
    "blanks, a mark and comments",
    "\uFEFF<metadata>\n<versioning><latest>9</latest><versions>\n<version>\n 1.0 </version><!-- x --><version>1.1</version></versions></versioning></metadata>",
    /^1\.1$/,
  ],
];
for (const [what, metadata, outcome] of answers)
  test(`a repository that answers with ${what}`, async (t) => {
    await using registry = await mavenRepository();
    await using tools = workshop();
    registry.publish("org.acme:a", "1.1");
    registry.put("/org/acme/a/maven-metadata.xml", metadata);
    const files = { "pom.xml": `<project>${uses(["org.acme:a", "1.0"])}</project>` };
    const settings: ManagerSettings = { registries: [{ manager: "maven", url: registry.url }] };
    const wanting = { manager: maven, sources: repository(files), tools, settings };
    const said = await updatedBy({ ...wanting, name: "org.acme:a" }).then(
      (edit) => /<version>(.*?)</.exec(edit.files.get("pom.xml") ?? "")?.[1] ?? "",
      ({ message }: Error) => message,
    );
    t.regex(said, outcome);
  });
