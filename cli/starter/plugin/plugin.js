// @ts-check
import { c, definePlugin } from "reeve/plugin";

export default definePlugin({
  id: "starter",
  title: "Starter",
  api: 1,
  blocks: {
    message: c.block({
      doc: "Responds to `GET /starter/<label>` with a text.",
      label: c.name(),
      attrs: {
        text: c.string().doc("The response body."),
        listen: c.string().default('"127.0.0.1:9200"').doc("The address to listen on."),
      },
    }),
  },
  permissions: { listen: true },
  setup(ctx) {
    const sent = ctx.metrics.counter("messages_total", "Messages sent.", ["message"]);
    /** @type {ReadonlyMap<string, string>} */
    let texts = new Map();
    /** @type {readonly { close(): Promise<void> }[]} */
    let servers = [];

    return {
      // Builds what the next configuration needs. What runs is untouched until `commit`.
      async prepare(next) {
        const blocks = next.blocks.message;
        const addresses = new Set(blocks.map(({ values }) => values.listen));
        /** @type {{ close(): Promise<void> }[]} */
        const nextServers = [];
        for (const listen of addresses) {
          const server = await ctx.http.serve({ listen, prefix: "/starter" }, (app) => {
            app.get("/:label", (request, reply) => {
              const { label = "" } = /** @type {{ label?: string }} */ (request.params);
              const text = texts.get(label);
              if (text === undefined) return reply.code(404).send("There is no such message.");
              sent.add(1, { message: label });
              return reply.send(text);
            });
          });
          nextServers.push(server);
        }
        const nextTexts = new Map(blocks.map(({ label, values }) => [label ?? "", values.text]));
        return {
          commit() {
            for (const server of servers) void server.close();
            texts = nextTexts;
            servers = nextServers;
          },
        };
      },
    };
  },
});
