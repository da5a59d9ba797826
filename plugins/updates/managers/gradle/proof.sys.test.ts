/** From a release in a Maven repository to a clone of a Gradle build: notification, pull request, lock file, merge. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";
import { mavenRepository } from "../../testing/maven-repository.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const build = (version: string): string =>
  `plugins { id("java") }\ndependencies {\n    implementation("org.acme:thing:${version}") // why\n}\n`;
const lock = (version: string): string =>
  `org.acme:thing:${version}=compileClasspath,runtimeClasspath\nempty=\n`;

test("a release is merged with its lock file; one with a changed graph is proposed and waits", async (t) => {
  await using registry = await mavenRepository();
  registry.publish("org.acme:thing", "1.0.0");
  const at = await updatesFixture(t, { inside: `registry "gradle" { url = "${registry.url}" }` });
  const repo = await at.repo("app", {
    "build.gradle.kts": build("1.0.0"),
    "gradle.lockfile": lock("1.0.0"),
  });
  await at.config(repo, rules("gradle"));
  registry.publish("org.acme:thing", "1.0.1");
  await notify(at, "gradle", "org.acme:thing", "1.0.1");
  await at.pulls(1, "state=merged");
  const directory = await cloned(t, at, repo);
  t.is(await readFile(join(directory, "build.gradle.kts"), "utf8"), build("1.0.1"));
  t.is(await readFile(join(directory, "gradle.lockfile"), "utf8"), lock("1.0.1"));

  registry.publish(
    "org.acme:thing",
    "1.0.2",
    "<dependencies><dependency><groupId>org.acme</groupId><artifactId>new</artifactId><version>1</version></dependency></dependencies>",
  );
  await notify(at, "gradle", "org.acme:thing", "1.0.2");
  await at.plugin.until(
    async () =>
      /org\.acme:new, which is not locked/.test(
        String((await at.pulls(1, "state=open"))[0]?.attributes["automerge-reason"]),
      ),
    "the reason why it waits",
  );
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
