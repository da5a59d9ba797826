/** From a release in a Maven repository to a clone: notification, pull request, merge. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";
import { mavenRepository } from "../../testing/maven-repository.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const pom = (version: string): string =>
  `<project>\n  <properties><acme.version>${version}</acme.version></properties>\n  <dependencies>\n    <dependency><groupId>org.acme</groupId><artifactId>one</artifactId><version>\${acme.version}</version></dependency>\n    <dependency><groupId>org.acme</groupId><artifactId>two</artifactId><version>\${acme.version}</version></dependency>\n  </dependencies>\n</project>\n`;

test("a release of both is merged in one pull request; of one alone, or a major one, is not", async (t) => {
  await using registry = await mavenRepository();
  for (const name of ["org.acme:one", "org.acme:two"]) registry.publish(name, "1.0.0");
  const at = await updatesFixture(t, { inside: `registry "maven" { url = "${registry.url}" }` });
  const repo = await at.repo("app", { "pom.xml": pom("1.0.0") });
  await at.config(repo, rules("maven"));

  registry.publish("org.acme:one", "1.0.1");
  await notify(at, "maven", "org.acme:one", "1.0.1");
  registry.publish("org.acme:one", "1.0.2");
  registry.publish("org.acme:two", "1.0.2");
  await notify(at, "maven", "org.acme:two", "1.0.2");
  const [merged] = await at.pulls(1, "state=merged");
  t.deepEqual(
    merged?.attributes.dependencies.map(({ name }: { name: string }) => name),
    ["org.acme:one", "org.acme:two"],
  );
  const directory = await cloned(t, at, repo);
  t.is(await readFile(join(directory, "pom.xml"), "utf8"), pom("1.0.2"));

  for (const name of ["org.acme:one", "org.acme:two"]) registry.publish(name, "2.0.0");
  await notify(at, "maven", "org.acme:one", "2.0.0");
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump org.acme:one and org.acme:two");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
