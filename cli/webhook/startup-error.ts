/** Why the server does not start, in one sentence. */
export class StartupError extends Error {
  override readonly name = "Unstartable";
}
