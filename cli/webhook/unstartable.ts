/** Why the server does not start, in one sentence. */
export class Unstartable extends Error {
  override readonly name = "Unstartable";
}
