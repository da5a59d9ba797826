/** Base of the classes that read and write the tables. */
import type { Kysely } from "kysely";
import type { Tables } from "./tables.js";

export abstract class TableAccess {
  protected readonly database: Kysely<Tables>;

  constructor(database: Kysely<Tables>) {
    this.database = database;
  }
}
