/** Standard input stays as awf was given it: it is the command's. */

/**
 * An import of `node:process` reads every one of its names, and so opens standard input, which makes it non-blocking for
 * the command, too: its first read fails where nothing has come yet. Where the name is only inherited, it is read when
 * somebody asks for it, as `process.stdin`. To be called before anything imports `node:process`.
 */
export function keepStdinUnread(): void {
  const property = Object.getOwnPropertyDescriptor(process, "stdin");
  if (property?.get === undefined || !property.configurable) return;
  const lent = Object.create(Object.getPrototypeOf(process) as object, { stdin: property });
  Reflect.deleteProperty(process, "stdin");
  Object.setPrototypeOf(process, lent as object);
}
