import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { chooseTextColor, computeContrast, findContrastProblem } from '../../../src/core/directory/contrast.ts';

const WIDGET = join(import.meta.dirname, '../../../web/widget');
const styles = ['loader/launcher.css', 'panel/panel.css']
  .map((name) => readFileSync(join(WIDGET, name), 'utf8'))
  .join('\n');

/** The light and the dark value of a token, as they are written. */
function readToken(name: string): [string, string] {
  const [, text = ''] = styles.match(new RegExp(`--${name}:\\s*light-dark\\(([^;]*)\\);`)) ?? [];
  let depth = 0;
  const comma = [...text].findIndex((character) => {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    return character === ',' && depth === 0;
  });
  assert.ok(comma > 0, name);
  return [text.slice(0, comma).trim(), text.slice(comma + 1).trim()];
}

/** Computes what the style sheet says for a colour of a website; every form that it uses is known here. */
function resolve(name: string, brand: string, isDark: boolean): string {
  const value = readToken(name)[isDark ? 1 : 0];
  const onBrand = chooseTextColor(brand);
  const variables: Record<string, () => string> = {
    'var(--brand)': () => brand,
    'var(--on-brand)': () => onBrand,
    'var(--accent)': () => resolve('accent', brand, isDark),
  };
  if (value.startsWith('#')) return value;
  if (variables[value]) return variables[value]();
  const derived = value.match(/^oklch\(from var\(--brand\) (.+)\)$/)?.[1];
  if (derived) return deriveColor(brand, derived);
  const mixed = value.match(/color-mix\(\s*in oklab,\s*(var\(--\w+\)) (\d+)%,\s*(.+?)\s*\)$/s);
  assert.ok(mixed, `${name}: ${value}`);
  const [, first = '', share, second = ''] = mixed;
  const away = onBrand === '#ffffff' ? '#000000' : '#ffffff';
  return mix(variables[first]?.() ?? '', second === '#fff' ? '#ffffff' : away, Number(share) / 100);
}

/** The parts of `oklch(from …)`: a number, a letter, or `min`, `max` of two. */
function deriveColor(brand: string, text: string): string {
  const [l, c, h] = toOklch(brand);
  const parts = text.match(/(?:min|max)\([^)]*\)|[\w.]+/g) ?? [];
  const compute = (part = '0'): number => {
    const call = part.match(/^(min|max)\((.+), (.+)\)$/);
    if (call) return Math[call[1] as 'min' | 'max'](compute(call[2]), compute(call[3]));
    const [factor = '', times] = part.split(' * ');
    return ({ l, c, h }[factor as 'l'] ?? Number(factor)) * (times ? Number(times) : 1);
  };
  return fromOklch(compute(parts[0]), compute(parts[1]), compute(parts[2]));
}

type Triple = [number, number, number];

function toOklab(color: string): Triple {
  const [r, g, b] = [1, 3, 5].map((index) => {
    const value = Number.parseInt(color.slice(index, index + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Triple;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Colours that a screen cannot show are cut, as browsers do. */
function fromOklab([lightness, a, b]: Triple): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const channels = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((value) => {
    const cut = Math.min(1, Math.max(0, value));
    const encoded = cut <= 0.0031308 ? 12.92 * cut : 1.055 * cut ** (1 / 2.4) - 0.055;
    return Math.round(encoded * 255)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

function toOklch(color: string): Triple {
  const [l, a, b] = toOklab(color);
  return [l, Math.hypot(a, b), Math.atan2(b, a)];
}

function fromOklch(l: number, c: number, h: number): string {
  return fromOklab([l, c * Math.cos(h), c * Math.sin(h)]);
}

function mix(first: string, second: string, share: number): string {
  const [from, to] = [toOklab(first), toOklab(second)];
  return fromOklab(from.map((value, index) => value * share + (to[index] ?? 0) * (1 - share)) as Triple);
}

/** Every colour that a website can choose. */
const brand = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)
  .filter((color) => findContrastProblem(color) === undefined);

function assertContrast(first: string, second: string, least: number, name: string): void {
  const contrast = computeContrast(first, second);
  assert.ok(contrast >= least, `${name}: ${first} on ${second} has a contrast of ${contrast.toFixed(2)}`);
}

test('every colour of a website gives readable buttons, links and messages in both themes', () => {
  fc.assert(
    fc.property(brand, fc.boolean(), (color, isDark) => {
      const get = (name: string) => resolve(name, color, isDark);
      assertContrast(get('on-accent'), get('accent'), 4.5, 'text of a button');
      assertContrast(get('on-accent'), get('accent-hover'), 4.5, 'text of a button under the pointer');
      assertContrast(get('on-bubble-own'), get('bubble-own'), 4.5, 'text of an own message');
      for (const surface of ['surface', 'surface-raised', 'surface-sunken']) {
        assertContrast(get('accent-text'), get(surface), 4.5, `link on ${surface}`);
      }
      assertContrast(get('accent'), get('surface-raised'), 3, 'edge of a button');
    }),
    { numRuns: process.env.FULL === '1' ? 2000 : 300 },
  );
});

test('the colour itself stays as it is where it can', () => {
  assert.equal(resolve('accent', '#0f766e', false), '#0f766e');
  assert.equal(resolve('bubble-own', '#0f766e', false), '#0f766e');
});
