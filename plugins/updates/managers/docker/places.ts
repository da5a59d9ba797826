/** Where an image is written, and the range of what comes after its name: tag and digest. */
import type { TextRange } from "../contract.js";

export interface ImagePlace {
  readonly image: string;
  readonly range: TextRange;
  /** `FROM`, `services.web`, `Deployment`. */
  readonly section: string;
}
