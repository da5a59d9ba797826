/** For every manager: an edit changes exactly one value and keeps every other byte. */
import { once } from "node:events";
import { createServer } from "node:http";
import test from "ava";
import { elmSite } from "../testing/elm-site.js";
import { repository, workshop } from "../testing/manager-fixture.js";
import { closed, urlOf } from "../testing/server.js";
import { specimens } from "../testing/specimens.js";
import type { Dependency, ProjectSources } from "./contract.js";

type Transformation = (text: string) => string;
const transformations: Readonly<Record<string, Transformation>> = {
  "as it is": (text) => text,
  "with CRLF": (text) => text.replaceAll("\n", "\r\n"),
  "with a byte order mark": (text) => `\uFEFF${text}`,
  "without a final newline": (text) => text.replace(/\n$/, ""),
};

/** All values, and the text between them. */
function anatomy({ files }: ProjectSources, dependencies: readonly Dependency[]) {
  const locations = dependencies.flatMap(({ declarations, name }) =>
    declarations.map((declaration) => ({ ...declaration, name })),
  );
  return [...files].map(([file, text]) => {
    const inFile = locations
      .filter((position) => position.file === file)
      .toSorted((a, b) => a.range.start - b.range.start);
    let end = 0;
    const between = inFile.map(({ range }) => {
      const part = text.slice(end, range.start);
      end = range.end;
      return part;
    });
    const values = inFile.map(({ name, requirement, range }) => {
      return { name, requirement, written: text.slice(range.start, range.end) };
    });
    return { file, between: [...between, text.slice(end)], values };
  });
}

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)].sort();

for (const [what, specimen] of Object.entries(specimens))
  for (const [how, transform] of Object.entries(transformations))
    test(`${what}, ${how}`, async (t) => {
      const { manager, to, names, submodules = {} } = specimen;
      await using tools = workshop();
      const files = Object.fromEntries(
        Object.entries(specimen.files).map(([name, text]) => [name, transform(text)]),
      );
      const sources = repository(files, { submodules });
      await using proxy = await moduleProxy();
      await using site = await elmSite();
      for (const name of ["elm/core", "acme/ui"])
        for (const version of ["1.0.0", to.version]) site.publish(name, version);
      const settings = {
        registries: [
          { manager: "go_modules" as const, url: proxy.url },
          { manager: "elm" as const, url: site.url },
        ],
      };
      t.deepEqual(unique(manager.filesToRead(sources)), unique(Object.keys(files)));
      const found = manager.parse(sources, settings);
      t.deepEqual(found.broken, []);
      const movable = found.dependencies.filter(({ origin }) => origin.kind !== "none");
      const others = what === "submodules" ? ["https://example.test/a"] : [];
      t.deepEqual(unique(movable.map(({ name }) => name)), unique([...names, ...others]));
      for (const dependency of movable.filter(({ name }) => names.includes(name))) {
        const requirements = dependency.declarations.map((declaration) =>
          manager.requirement(declaration, to, "bump_versions"),
        );
        const request = { sources, settings, changes: [{ dependency, to, requirements }] };
        const edit = await manager.update(request, tools);
        const after = { ...sources, files: new Map([...sources.files, ...edit.files]) };
        const before = anatomy(sources, found.dependencies);
        const now = anatomy(after, manager.parse(after, settings).dependencies);
        t.deepEqual(
          now.map(({ between }) => between),
          before.map(({ between }) => between),
          dependency.id,
        );
        const locations = new Map(
          dependency.declarations.map((one, index) => [
            `${one.file}:${one.range.start}`,
            requirements[index],
          ]),
        );
        const changed = before.flatMap(({ file, values }, index) =>
          values
            .filter((value, position) => value.written !== now[index]?.values[position]?.written)
            .map(() => file),
        );
        t.is(changed.length, locations.size, dependency.id);
      }
    });

/** A Go proxy whose modules have no requirements. */
async function moduleProxy(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => response.end("module any\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: urlOf(server),
    [Symbol.asyncDispose]: () => closed(server),
  };
}
