/** Docker's embedded resolver, which images expect. It stands for the first configured server. */
export const embeddedResolver = "127.0.0.11";
