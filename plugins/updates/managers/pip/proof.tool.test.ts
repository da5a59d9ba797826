/** From a release in a package index to a clone that pip installs from, by its hashes. */
import ava from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { updatesFixture } from "../../testing/fixture.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";
import { inPython, pythonIndex } from "../../testing/python-index.js";

const test = needs(ava, program("/usr/bin/poetry", "Poetry"));

test("a patch is merged with its hashes, a yanked and a major one are not", async (t) => {
  await using index = await pythonIndex();
  index.publish("left-foo", "1.0.0");
  const at = await updatesFixture(t, { inside: `registry "pip" { url = "${index.url}" }` });
  const start = `--require-hashes\nLeft_Foo==1.0.0 --hash=sha256:${"0".repeat(64)}\n`;
  const repo = await at.repo("app", { "requirements.txt": start });
  const created = await at.config(repo, rules("pip"));
  t.is(created.status, 201, created.text);

  index.publish("left-foo", "1.0.2", { yanked: true });
  await notify(at, "pip", "left.foo", "1.0.2");
  index.publish("left-foo", "1.0.1");
  await notify(at, "pip", "Left_Foo", "1.0.1");
  const [merged] = await at.pulls(1, "state=merged");
  t.is(merged?.attributes.title, "Bump left-foo from 1.0.0 to 1.0.1");
  const files = await clonedFiles(t, at, repo);
  t.regex(
    files["requirements.txt"] ?? "",
    /^Left_Foo==1\.0\.1 (--hash=sha256:[0-9a-f]{64} ?){2}$/m,
  );
  const pip = ["/usr/bin/pip3", "download", "--quiet", "--no-deps", "--dest", "out"];
  await t.notThrowsAsync(
    inPython(files, [...pip, "--index-url", index.url, "-r", "requirements.txt"]),
  );

  index.publish("left-foo", "2.0.0");
  await notify(at, "pip", "left-foo", "2.0.0");
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump left-foo from 1.0.1 to 2.0.0");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
