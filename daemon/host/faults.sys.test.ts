/** Faults in the code of a plugin are shown with their position, whatever isolation it runs in. */
import test from "ava";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { startDaemon, waitFor } from "./testing/daemon.js";
import { ISOLATIONS } from "./testing/probed.js";

/** Throws in line 4, in the phase of its life that is named. */
const plugin = (fault: string) => `import { c, definePlugin } from "reeve/plugin";
const fail = (now) => {
  if (now !== "${fault}") return;
  throw new Error("Boom.");
};
export default definePlugin({
  id: "faulty", title: "Faulty", api: 1,
  blocks: { thing: c.block({ label: c.name() }) },
  later() { fail("later"); },
  setup() {
    const { later } = this;
    fail("setup");
    return {
      async prepare() {
        fail("prepare");
        return {
          commit() {
            fail("commit");
            setTimeout(() => later(), 50);
          },
        };
      },
    };
  },
});
`;

const start = async (t: Parameters<typeof startDaemon>[0], files: Record<string, string>) =>
  startDaemon(t, { files });
const text = (isolation: string) =>
  `plugin "p" { source = "./faulty.js"; isolation = "${isolation}" }\np.thing "x" {}\n`;
const said = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(({ message }) => message).join("\n");
const AT = /Boom \(at \/.*\/faulty\.js:4:9 in fail\)/;

for (const isolation of ISOLATIONS) {
  for (const when of ["setup", "prepare"]) {
    test.serial(`${isolation}: an error in \`${when}\` has its position`, async (t) => {
      const daemon = await start(t, { "faulty.js": plugin(when) });
      const { committed, diagnostics } = await daemon.apply(text(isolation));
      t.false(committed);
      t.regex(said(diagnostics), AT);
    });
  }

  test.serial(`${isolation}: an error in \`commit\` has its position`, async (t) => {
    const daemon = await start(t, { "faulty.js": plugin("commit") });
    await daemon.apply(text(isolation));
    await waitFor(() => daemon.status("faulty")?.failure !== undefined, "the failure");
    t.regex(daemon.status("faulty")?.failure?.reason ?? "", AT);
    await waitFor(() => AT.test(daemon.log), "the log");
  });

  test.serial(`${isolation}: an error in the syntax has its position`, async (t) => {
    const daemon = await start(t, { "faulty.js": "export default 1;\nconst a = ;\n" });
    const { diagnostics } = await daemon.apply(text(isolation));
    t.regex(said(diagnostics), /Unexpected token ';' \(at \/.*\/faulty\.js:2:11\)/);
  });

  if (isolation === "inline") continue;
  test.serial(
    `${isolation}: an error in the syntax of another module has its position`,
    async (t) => {
      const daemon = await start(t, {
        "p/package.json": '{ "name": "p", "type": "module", "exports": "./faulty.js" }',
        "p/faulty.js": 'export { default } from "./part.js";\n',
        "p/part.js": "export default 1;\nconst a = ;\n",
      });
      const { diagnostics } = await daemon.apply(text(isolation).replace("./faulty.js", "./p"));
      t.regex(said(diagnostics), /Unexpected token ';' \(at \/.*\/part\.js:2:11\)/);
    },
  );

  test.serial(`${isolation}: an error that nothing catches has its position`, async (t) => {
    const daemon = await start(t, { "faulty.js": plugin("later") });
    await daemon.apply(text(isolation));
    await waitFor(() => daemon.status("faulty")?.failure !== undefined, "the failure");
    t.regex(daemon.status("faulty")?.failure?.reason ?? "", AT);
    await waitFor(() => AT.test(daemon.log), "the log");
  });
}
