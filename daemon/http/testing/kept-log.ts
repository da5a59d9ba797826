import type { Fields, Log } from "../../plugin-api/context.js";

/** A log that keeps its lines for the test to look at. */
export class KeptLog implements Log {
  readonly lines: Array<{ level: string; message: string; fields: Fields | undefined }> = [];

  debug(message: string, fields?: Fields): void {
    this.lines.push({ level: "debug", message, fields });
  }
  info(message: string, fields?: Fields): void {
    this.lines.push({ level: "info", message, fields });
  }
  warn(message: string, fields?: Fields): void {
    this.lines.push({ level: "warn", message, fields });
  }
  error(message: string, fields?: Fields): void {
    this.lines.push({ level: "error", message, fields });
  }
  child(): Log {
    return this;
  }
}
