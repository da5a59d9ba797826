/** Ids of ours as pg-boss wants them, and back. */
const digits = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Of the jobs of one group that a fetch finds, the library takes the one with the smallest uuid. So ours, which grow, become
 * one each: four letters of ours are five of it.
 */
export function uuidOf(id: string): string {
  let hex = "";
  for (let at = 0; at < id.length; at += 4) {
    let bits = 0;
    for (let next = at; next < at + 4; next += 1) {
      bits = bits * 32 + digits.indexOf(id[next] ?? "0");
    }
    hex += bits.toString(16).padStart(5, "0");
  }
  hex = hex.padEnd(32, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export function idOf(uuid: string): string {
  const hex = uuid.replaceAll("-", "");
  let id = "";
  for (let at = 0; at < 25; at += 5) {
    const bits = Number.parseInt(hex.slice(at, at + 5), 16);
    for (let shift = 15; shift >= 0; shift -= 5) id += digits[(bits >> shift) & 31];
  }
  return id;
}
