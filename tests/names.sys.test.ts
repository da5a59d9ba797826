/** Names of files, types and values keep to docs/glossary.md: one word, one idea, no metaphor. */
import test from "ava";
import { isShipped, type SyntaxNode, sourceFiles, syntaxOf, walk } from "./source-files.js";

/** Words that stood for something with a name of its own in the field. */
const denied =
  /^(tell(s|ing)?|told|asked|asking|gifts?|house|desk|office|lane|parcel|departure|ghost|doors?|bell|glance|dirt|trail|trouble|unfit|unsettled|settle[sd]?|settling|carry|stor(y|ies)|book|tenure|holes?|crumbs?|mentions?|around|places?|standing|guest|border(ed)?|neighbou?rs|vanish|becomes?|burn|ill|heard|hearing|strangers?|strayed|somebody|nobody|whoever|breath(e|es)?|farewell|whereabouts|surroundings|circumstances|manners|shop|puzzle|pile|blend|wish(es)?|hoard|sharer|misfit|blame|setback|habit|unsayable|leftovers?|fence|begun|twin)$/;
const deniedInWholeNames = /takeUp|takeBack|letGo|letIn|leftBehind/;

/** Too vague to be the name of an exported type. */
const vague =
  /^(Part|Step|World|Scene|Answer|Found|Known|Wanted|Written|Reading|Started|Sent|Running|Ended|Outcome|Way)$/;

/** Identifiers that keep a denied word, and why. A row that nothing uses any more fails the test. */
const exceptions: ReadonlyArray<readonly [name: RegExp, files: RegExp, reason: string]> = [
  [/^(TemplateHole|holes?)$/, /^(grammar|bench\/language)\//, "an opening in a template string"],
  [/^allSettled$/, /./, "a method of Promise"],
  [/^settle$/, /^(daemon|bench)\//, "an attribute of `daemon` and an option of `ctx.files.watch`"],
  [/^place$/, /^plugins\/updates\//, "a column of the table `repos`"],
  [/^trouble$/, /^(plugins\/updates|cli\/tui\/testing)\//, "a column and JSON field of configs"],
  [/^settled$/, /^plugins\/updates\/store\//, "a table"],
  [/^settled$/, /^bench\/scale\//, "a field of pg-boss"],
];

interface Use {
  readonly file: string;
  readonly name: string;
}

const syntax = new Map(sourceFiles.map((file) => [file, syntaxOf(file)]));
const identifiers: readonly Use[] = [...syntax].flatMap(([file, tree]) => {
  const names = new Set<string>();
  walk(tree, ({ type, name }) => {
    if (/^(Identifier|PrivateIdentifier|JSXIdentifier)$/.test(type)) names.add(name as string);
  });
  return [...names].map((name) => ({ file, name }));
});

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_$-]+/)
    .map((word) => word.toLowerCase());
const isDenied = (name: string): boolean =>
  wordsOf(name).some((word) => denied.test(word)) || deniedInWholeNames.test(name);
const exceptionFor = ({ file, name }: Use) =>
  exceptions.find(([names, files]) => names.test(name) && files.test(file));

test("the search sees identifiers, and words in them", (t) => {
  t.true(identifiers.length > 50_000);
  for (const name of ["askedFor", "#told", "HTTPDoor", "DEFAULT_SETTLE", "letGoOf"])
    t.true(isDenied(name.replace("#", "")), name);
  for (const name of ["storage", "placement", "bookmark", "illegal"]) t.false(isDenied(name), name);
});

test("no identifier has a word of the deny list", (t) => {
  const found = identifiers.filter((use) => isDenied(use.name) && !exceptionFor(use));
  t.deepEqual(
    found.map(({ file, name }) => `${file}: ${name}`),
    [],
  );
});

test("no file or folder name has a word of the deny list", (t) => {
  const found = sourceFiles.filter((file) =>
    file.split("/").some((part) => part.split(/[.-]/).some((word) => denied.test(word))),
  );
  t.deepEqual(found, []);
});

test("every exception is still needed", (t) => {
  const unused = exceptions.filter(
    (row) => !identifiers.some((use) => isDenied(use.name) && exceptionFor(use) === row),
  );
  t.deepEqual(unused, []);
});

/** The types and classes that a module exports, by name. */
const exportedTypes = [...syntax]
  .filter(([file]) => isShipped(file))
  .flatMap(([file, tree]) =>
    (tree.body as readonly SyntaxNode[])
      .filter(({ type }) => type === "ExportNamedDeclaration")
      .map(({ declaration }) => declaration as SyntaxNode | null)
      .filter(
        (node) =>
          node !== null && /^(TS(Interface|TypeAlias|Enum)|Class)Declaration$/.test(node.type),
      )
      .map((node) => ({ file, name: ((node as SyntaxNode).id as { name: string }).name })),
  );

/** Names that more than one file may export, each by a convention. */
const conventions: ReadonlyArray<readonly [name: string, convention: string]> = [];

test("no exported type has a name that says nothing alone", (t) => {
  t.deepEqual(
    exportedTypes.filter(({ name }) => vague.test(name)),
    [],
  );
});

test("an exported type is defined once, or its convention says why not", (t) => {
  const files = Map.groupBy(exportedTypes, ({ name }) => name);
  const repeated = [...files].filter(([, uses]) => uses.length > 1).map(([name]) => name);
  t.deepEqual(repeated.toSorted(), conventions.map(([name]) => name).toSorted());
  t.true(conventions.length <= 25);
});
