/** `response { … }`: the response to the sender. */
import { c } from "reeve/plugin";
import { badHeader } from "./header-names.js";
import { finishedText, refusalText, text } from "./request.js";

const OTHER_BODIES = [
  ...["body", "include_output", "include_output_on_error"],
  ...["from_command", "stream"],
] as const;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

const status = () => c.integer().min(200).max(599);

export const response = c.block({
  doc: "The response to the sender.",
  max: 1,
  reload: "live",
  examples: ["response {\n  wait = true\n  include_output = true\n}"],
  attrs: {
    wait: c
      .boolean()
      .default("false")
      .doc("Whether to respond after the command has ended, instead of at once."),
    include_output: c
      .boolean()
      .default("false")
      .doc("Whether the response is the command's output. Implies `wait`."),
    include_output_on_error: c
      .boolean()
      .default("false")
      .doc("Whether the response to a failed command is its output. Implies `wait`."),
    status: status()
      .optional()
      .doc("The status of success. @default 200 after waiting, otherwise 202")
      .example("204"),
    mismatch_status: status()
      .default("403")
      .doc("The status if `when` does not hold. Use 200 for senders that disable failing hooks.")
      .example("200"),
    failure_status: status().default("500").doc("The status of a failed command, after waiting."),
    exit_status: c
      .map(status())
      .default("{}")
      .doc("Statuses by exit code, after waiting; others get `status` or `failure_status`.")
      .example('{ "3" = 404 }'),
    from_command: c
      .boolean()
      .default("false")
      .doc(
        "Whether the command prints the whole response, like a CGI program: lines such as `Status: 404` and `Content-Type: text/html`, an empty line, and the body. Implies `wait`.",
      ),
    stream: c
      .oneOf("chunks", "sse")
      .optional()
      .doc(
        "Streams the command's output: as it is printed, with secrets masked (`chunks`), or as server-sent events. A client that disconnects does not stop the command.",
      ),
    poll: c
      .boolean()
      .default("false")
      .doc(
        "Whether `Location` names an address that reports the state of the run, and its output after the end. The response does not wait.",
      )
      .example("true"),
    body: text
      .optional()
      .doc("The body of the response, unless the output is included.")
      .example('"thanks for ${payload.ref}"'),
    result_body: finishedText
      .optional()
      .doc(
        "The body of the response after the command has ended, successful or not. Reads `output`, `exit_code`, `state` and `run` too. Implies `wait`.",
      )
      .example('"deployed: ${trim(output)}"'),
    refusal_body: refusalText
      .optional()
      .doc(
        "The body of the response to a refused request. Reads `status`, `reason`, `detail`, `method`, `header` and `query`. Without it, a problem (RFC 9457).",
      )
      .example("json_encode({ error = detail })"),
    refusal_type: c
      .string()
      .default('"text/plain; charset=utf-8"')
      .doc("The content type of `refusal_body`.")
      .example('"application/json"'),
    headers: c
      .map(text)
      .default("{}")
      .doc("Headers of the response to an accepted request.")
      .example('{ "X-Host" = "build-1" }'),
  },
  check: ({ values }, report) => {
    for (const code of Object.keys(values.exit_status)) {
      if (!/^(0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])$/.test(code)) {
        report(["exit_status", code], `\`${code}\` is not an exit code; they are 0 to 255`);
      }
    }
    if (values.stream && values.from_command) {
      report(["from_command"], "a streamed response starts before the command can set its status");
    }
    for (const name of ["wait", "from_command", "stream", "result_body"] as const) {
      if (values.poll && values[name]) {
        report([name], "with `poll` the response does not wait for the command");
      }
    }
    for (const name of OTHER_BODIES) {
      if (values.result_body && values[name]) {
        report([name], `\`result_body\` is the body of the response, not \`${name}\``);
      }
    }
    if (!HEADER_VALUE.test(values.refusal_type)) {
      report(["refusal_type"], "a content type is printable ASCII");
    }
    for (const name of Object.keys(values.headers)) {
      const wrong = badHeader(name);
      if (wrong) report(["headers", name], wrong);
    }
  },
});
