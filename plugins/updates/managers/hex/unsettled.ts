/** Why the lock cannot be worked out here, in a sentence without its full stop. */
export class Unsettled extends Error {}
