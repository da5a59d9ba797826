/** Edit, then parse: exactly one value has changed, and every other byte is what it was. For every manager. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test from "ava";
import fc from "fast-check";
import { specimens } from "../testing/specimens.js";
import { repository, workshop } from "../testing/workshop.js";
import type { Dependency, Sources } from "./contract.js";
import { managerOf } from "./managers.js";

type Transformation = (text: string) => string;
const transformations: Readonly<Record<string, Transformation>> = {
  "as it is": (text) => text,
  "with CRLF": (text) => text.replaceAll("\n", "\r\n"),
  "with a byte order mark": (text) => `\uFEFF${text}`,
  "without a final newline": (text) => text.replace(/\n$/, ""),
};

/** All values, and the text between them. */
function anatomy({ files }: Sources, dependencies: readonly Dependency[]) {
  const places = dependencies.flatMap(({ declarations, name }) =>
    declarations.map((declaration) => ({ ...declaration, name })),
  );
  return [...files].map(([file, text]) => {
    const inFile = places
      .filter((place) => place.file === file)
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
      const settings = { registries: [{ manager: "go_modules" as const, url: proxy.url }] };
      t.deepEqual(unique(manager.wanted(sources)), unique(Object.keys(files)));
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
        const places = new Map(
          dependency.declarations.map((one, index) => [
            `${one.file}:${one.range.start}`,
            requirements[index],
          ]),
        );
        const changed = before.flatMap(({ file, values }, index) =>
          values
            .filter((value, place) => value.written !== now[index]?.values[place]?.written)
            .map(() => file),
        );
        t.is(changed.length, places.size, dependency.id);
      }
    });

/** A Go proxy whose modules need nothing. */
async function moduleProxy(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_request, response) => response.end("module any\n"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

const packageName = fc
  .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  .filter((name) => !["catalog", "__proto__"].includes(name));
const requirement = fc
  .tuple(fc.constantFrom("^", "~", ""), fc.nat(9), fc.nat(9), fc.nat(9))
  .map(([sign, ...numbers]) => sign + numbers.join("."));

test("any package.json, however it is written", async (t) => {
  const manager = managerOf("npm_and_yarn");
  await using tools = workshop();
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.tuple(packageName, requirement), {
        minLength: 1,
        maxLength: 6,
        selector: ([name]) => name,
      }),
      fc.constantFrom("\t", "  ", "", "    "),
      fc.constantFrom("\n", "\r\n"),
      fc.constantFrom("", "\uFEFF"),
      fc.string({ unit: "binary" }),
      async (members, indent, newline, mark, description) => {
        const json = JSON.stringify(
          { description, dependencies: Object.fromEntries(members) },
          null,
          indent,
        );
        const text = `${mark}${json.replaceAll("\n", newline)}`;
        const sources = repository({ "package.json": text });
        const [dependency] = manager.parse(sources, { registries: [] }).dependencies;
        if (!dependency) return t.fail(text);
        const change = { dependency, to: { version: "77.0.0" }, requirements: ["^77.0.0"] };
        const edit = await manager.update(
          { sources, settings: { registries: [] }, changes: [change] },
          tools,
        );
        const [declaration] = dependency.declarations;
        const { start, end } = declaration?.range ?? { start: 0, end: 0 };
        t.is(edit.files.get("package.json"), `${text.slice(0, start)}^77.0.0${text.slice(end)}`);
        const after = JSON.parse((edit.files.get("package.json") ?? "").replace("\uFEFF", ""));
        t.deepEqual(after.dependencies, {
          ...Object.fromEntries(members),
          [dependency.name]: "^77.0.0",
        });
      },
    ),
  );
});
