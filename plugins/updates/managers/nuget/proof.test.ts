/** From a release on a NuGet feed to a clone: notification, pull request, lock file, merge. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { house } from "../../testing/house.js";
import { nugetFeed } from "../../testing/nuget-feed.js";
import { cloned, notify, rules } from "../../testing/proof.js";

const central = (version: string): string =>
  `<Project>\r\n  <ItemGroup>\r\n    <PackageVersion Include="Acme.Thing" Version="${version}" />\r\n  </ItemGroup>\r\n</Project>\r\n`;
const lock = (version: string, hash: string): string =>
  JSON.stringify(
    {
      version: 2,
      dependencies: {
        "net8.0": {
          "Acme.Thing": {
            type: "Direct",
            requested: `[${version}, )`,
            resolved: version,
            contentHash: hash,
          },
        },
      },
    },
    undefined,
    2,
  );

test("a release is merged with its lock file, however its name is written; one that needs more waits", async (t) => {
  await using feed = await nugetFeed();
  const old = feed.publish("Acme.Thing", "1.0.0");
  const at = await house(t, { inside: `registry "nuget" { url = "${feed.url}" }` });
  const repo = await at.repo("app", {
    "App.csproj": `<Project><ItemGroup><PackageReference Include="Acme.Thing" /></ItemGroup></Project>\n`,
    "Directory.Packages.props": central("1.0.0"),
    "packages.lock.json": lock("1.0.0", old),
  });
  await at.config(repo, rules("nuget"));
  const hash = feed.publish("Acme.Thing", "1.0.1", { signed: true });
  await notify(at, "nuget", "ACME.thing", "1.0.1");
  await at.pulls(1, "state=merged");
  const place = await cloned(t, at, repo);
  t.is(await readFile(join(place, "Directory.Packages.props"), "utf8"), central("1.0.1"));
  t.is(await readFile(join(place, "packages.lock.json"), "utf8"), lock("1.0.1", hash));

  feed.publish("Acme.Thing", "1.0.2", { needs: { "net8.0": { "Acme.New": "[1.0.0, )" } } });
  await notify(at, "nuget", "Acme.Thing", "1.0.2");
  await at.plugin.until(
    async () =>
      /no version of Acme\.New is what is asked for/.test(
        String((await at.pulls(1, "state=open"))[0]?.attributes["automerge-reason"]),
      ),
    "the reason why it waits",
  );
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
