/** `response { … }`: the response to the sender. */
import { c } from "reeve/plugin";
import { badHeader } from "./header-names.js";
import { text } from "./request.js";

const status = () => c.integer().min(200).max(599);

export const response = c.block({
  doc: "What the sender of a request is told.",
  max: 1,
  reload: "live",
  examples: ["response {\n  wait = true\n  include_output = true\n}"],
  attrs: {
    wait: c
      .boolean()
      .default("false")
      .doc("Whether to answer when the command has ended, instead of when it is accepted."),
    include_output: c
      .boolean()
      .default("false")
      .doc("Whether the answer is what the command printed. Implies `wait`."),
    include_output_on_error: c
      .boolean()
      .default("false")
      .doc("Whether the answer to a failed command is what it printed. Implies `wait`."),
    status: status()
      .optional()
      .doc("The status of success. Left out: 200 after waiting, 202 without.")
      .example("204"),
    mismatch_status: status()
      .default("403")
      .doc("The status when `when` does not hold. 200 keeps senders content that count failures.")
      .example("200"),
    failure_status: status().default("500").doc("The status of a failed command, after waiting."),
    exit_status: c
      .map(status())
      .default("{}")
      .doc(
        "Statuses for exit codes of the command, after waiting; others have `status` and `failure_status`.",
      )
      .example('{ "3" = 404 }'),
    from_command: c
      .boolean()
      .default("false")
      .doc(
        "Whether the command gives the whole answer, as a CGI program does: lines such as `Status: 404` and `Content-Type: text/html`, an empty line, and the body. Implies `wait`.",
      ),
    stream: c
      .oneOf("chunks", "sse")
      .optional()
      .doc(
        "Answer at once with what the command prints, as it comes: as it is (`chunks`), or as server-sent events. A sender who hangs up does not stop the command.",
      ),
    poll: c
      .boolean()
      .default("false")
      .doc(
        "Whether the sender is told, in `Location`, where to ask what became of the run. It does not wait: output that the answer would include is given there, when the command has ended.",
      )
      .example("true"),
    body: text
      .optional()
      .doc("The answer's text, unless the output is included.")
      .example('"thanks for ${payload.ref}"'),
    headers: c
      .map(text)
      .default("{}")
      .doc("Headers of the answer to a request that was accepted.")
      .example('{ "X-Host" = "build-1" }'),
  },
  check: ({ values }, report) => {
    for (const code of Object.keys(values.exit_status)) {
      if (!/^(0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/.test(code)) {
        report(["exit_status", code], `\`${code}\` is not an exit code; they are 0 to 255`);
      }
    }
    if (values.stream && values.from_command) {
      report(
        ["from_command"],
        "an answer that is streamed has begun before the command can say what it is",
      );
    }
    for (const name of ["wait", "from_command", "stream"] as const) {
      if (values.poll && values[name]) {
        report([name], "a sender who asks later what became of the run does not wait for its end");
      }
    }
    for (const name of Object.keys(values.headers)) {
      const wrong = badHeader(name);
      if (wrong) report(["headers", name], wrong);
    }
  },
});
