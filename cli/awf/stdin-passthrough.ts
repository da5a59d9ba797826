/** Leaves standard input untouched for the command. */

/**
 * An import of `node:process` reads all its properties. Reading `stdin` opens standard input and makes it non-blocking
 * for the command as well, whose first read then fails if there is no input yet. An inherited property is read only on
 * use, as `process.stdin`. Call this before any import of `node:process`.
 */
export function keepStdinUnread(): void {
  const property = Object.getOwnPropertyDescriptor(process, "stdin");
  if (property?.get === undefined || !property.configurable) return;
  const lent = Object.create(Object.getPrototypeOf(process) as object, { stdin: property });
  Reflect.deleteProperty(process, "stdin");
  Object.setPrototypeOf(process, lent as object);
}
