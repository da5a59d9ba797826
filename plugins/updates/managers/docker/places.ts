/** Where an image is written, and the range of what comes after its name: tag and digest. */

export interface ImagePlace {
  readonly image: string;
  readonly range: TextRange;
  /** `FROM`, `services.web`, `Deployment`. */
  readonly section: string;
  /** What stands around the range in the tag, where a variable holds but a part of it: `-alpine`. */
  readonly around?: { readonly before: string; readonly after: string };
}

import type { TextRange } from "../../text/text.js";
