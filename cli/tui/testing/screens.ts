/** The screens of `reeve` and its built-in plugins. */
import { loadScreens } from "../screens/load.js";

export const screens = await loadScreens();
