/** Contrast of colours by WCAG 2. Colours are written like `#1d4ed8`. */

const WHITE = '#ffffff';
const BLACK = '#000000';
/** The background of the widget. */
const PANEL = WHITE;
/** For text, and for buttons, icons and lines that are needed to use a page. */
const MIN_TEXT_CONTRAST = 4.5;
const MIN_SHAPE_CONTRAST = 3;

/** From 1 (the same colour) to 21 (black and white). */
export function computeContrast(first: string, second: string): number {
  const [darker = 0, lighter = 0] = [computeLuminance(first), computeLuminance(second)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** Black or white: what is easier to read on the colour. */
export function chooseTextColor(background: string): string {
  return computeContrast(background, WHITE) >= MIN_TEXT_CONTRAST ||
    computeContrast(background, WHITE) >= computeContrast(background, BLACK)
    ? WHITE
    : BLACK;
}

/** Why a colour cannot be the accent of the widget, as the end of a sentence; undefined if it can. */
export function findContrastProblem(color: string): string | undefined {
  const text = computeContrast(color, chooseTextColor(color));
  if (text < MIN_TEXT_CONTRAST) return describeProblem(text, `${chooseTextColor(color)} text`, MIN_TEXT_CONTRAST);
  const panel = computeContrast(color, PANEL);
  if (panel < MIN_SHAPE_CONTRAST) return describeProblem(panel, 'the white panel', MIN_SHAPE_CONTRAST);
  return undefined;
}

function describeProblem(contrast: number, other: string, min: number): string {
  const rounded = (Math.floor(contrast * 100) / 100).toFixed(2);
  return `has a contrast of ${rounded} to 1 with ${other}, and needs at least ${min}: choose a darker colour`;
}

function computeLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const value = Number.parseInt(color.slice(start, start + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
