/** Docker's embedded resolver, which images expect to exist; asked in place of the first configured server. */
export const embeddedResolver = "127.0.0.11";
