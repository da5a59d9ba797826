/** Properties that the client hello parser must have for any input. */
import { readClientHello } from "../../proxy/client-hello.js";
import { damaged } from "./damage.js";
import { helloInput } from "./hello-input.js";
import { Random } from "./random.js";

/** Parses one input. Returns the violated properties. */
export function attemptHello(seed: number, index: number): readonly string[] {
  const random = new Random(seed, index);
  const made = helloInput(random, random.once(2));
  const bytes = random.once(3) ? damaged(made.bytes, random) : made.bytes;
  const read = readClientHello(bytes);
  const complaints: string[] = [];
  if (bytes === made.bytes && made.wellFormed) {
    if (read.kind !== "hello" || read.serverName !== made.name) {
      complaints.push(`a hello for ${made.name} was read as ${JSON.stringify(read)}`);
    }
  }
  if (read.kind !== "hello") return complaints;
  if (read.serverName !== undefined && !/^[\x21-\x7e]+$/.test(read.serverName)) {
    complaints.push(`a name was made up: ${JSON.stringify(read.serverName)}`);
  }
  // An early result must agree with the final one.
  const early = readClientHello(bytes.subarray(0, random.below(bytes.length)));
  if (early.kind === "invalid") complaints.push("a part of a hello is invalid");
  if (early.kind === "hello" && early.serverName !== read.serverName) {
    complaints.push(`first ${early.serverName} was read and then ${read.serverName}`);
  }
  // Early data and the change of ciphers may follow in the same packet.
  const followed = readClientHello(Buffer.concat([bytes, Buffer.from([20, 3, 3, 0, 1, 1])]));
  if (followed.kind !== "hello" || followed.serverName !== read.serverName) {
    complaints.push("a hello is another one when a record follows");
  }
  return complaints;
}
