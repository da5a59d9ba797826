/** Any package.json, however it is written: one value changes, and every other byte stays. */
import test from "ava";
import fc from "fast-check";
import { anyText } from "../../../../tests/support/text.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmAndYarn as manager } from "./manager.js";

const packageName = fc
  .stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
  .filter((name) => !["catalog", "__proto__"].includes(name));
const requirement = fc
  .tuple(fc.constantFrom("^", "~", ""), fc.nat(9), fc.nat(9), fc.nat(9))
  .map(([sign, ...numbers]) => sign + numbers.join("."));

test("any valid package.json is edited", async (t) => {
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
      anyText(),
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
