/** One entry of the catalogue of codes. */
export interface ConfigurationCode {
  /** A few words, without full stop. */
  readonly title: string;
  /** What is behind it and what to do, in Markdown. */
  readonly explanation: string;
  /** A configuration that has it: the text of its root file, or a way to make its files by name. */
  readonly example: string | (() => Readonly<Record<string, string | Uint8Array>>);
}
