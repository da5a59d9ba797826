/** Colours as numbers, and the nearest of the 256 that most terminals have. */

export type Rgb = readonly [red: number, green: number, blue: number];

/** Six hexadecimal digits. */
export function rgbOf(hex: string): Rgb {
  const value = Number.parseInt(hex, 16);
  return [value >> 16, (value >> 8) & 0xff, value & 0xff];
}

const LEVELS = [0, 95, 135, 175, 215, 255] as const;

/** What a terminal shows for a number of 16 to 255: a cube of 6×6×6, then 24 greys. */
export function xterm(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const at = index - 16;
  const level = (step: number) => LEVELS[Math.floor(at / step) % 6] ?? 0;
  return [level(36), level(6), level(1)];
}

/** Differences of green are seen most, those of red least. */
export function nearest(colour: Rgb): number {
  const distance = (index: number) => {
    const [red, green, blue] = xterm(index).map((part, at) => (part - (colour[at] ?? 0)) ** 2);
    return 2 * (red ?? 0) + 4 * (green ?? 0) + 3 * (blue ?? 0);
  };
  return Array.from({ length: 240 }, (_, index) => index + 16).reduce((best, index) =>
    distance(index) < distance(best) ? index : best,
  );
}

/** From 0 to 1, as WCAG defines it. */
export function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
