import { type Bar, niceWidth, type Point } from './series.ts';

/** SVG plots without a library, because the report is one self-contained file. Colors come from the page. */

const WIDTH = 720;
const HEIGHT = 220;
const LEFT = 48;
const BOTTOM = 28;
const TOP = 12;

export interface Line {
  readonly name: string;
  readonly points: readonly Point[];
}

interface Scale {
  readonly max: number;
  at(value: number): number;
}

function createScale(max: number, from: number, to: number): Scale {
  const top = max > 0 ? max : 1;
  return { max: top, at: (value) => from + ((to - from) * value) / top };
}

const round = (value: number) => Math.round(value * 10) / 10;

/** Values over time. */
export function linePlot(lines: readonly Line[], unit: string): string {
  const points = lines.flatMap((line) => line.points);
  const x = createScale(Math.max(...points.map(({ second }) => second), 1), LEFT, WIDTH - 8);
  const y = createScale(Math.max(...points.map(({ value }) => value)), HEIGHT - BOTTOM, TOP);
  const drawn = lines.map(({ name, points: ownPoints }, index) => {
    const path = ownPoints.map(
      ({ second, value }, at) => `${at === 0 ? 'M' : 'L'}${round(x.at(second))} ${round(y.at(value))}`,
    );
    return `<path class="line l${index}" d="${path.join('')}"/><text class="t${index}" x="${LEFT + 8 + index * 130}" y="${TOP + 6}">${name}</text>`;
  });
  return svg(`${axes(x, y, 's', unit)}${drawn.join('')}`, lines.map(({ name }) => name).join(', '));
}

/** A histogram. */
export function barPlot(bars: readonly Bar[], name: string): string {
  const x = createScale(Math.max(...bars.map(({ to }) => to), 1), LEFT, WIDTH - 8);
  const y = createScale(Math.max(...bars.map(({ count }) => count), 1), HEIGHT - BOTTOM, TOP);
  const drawn = bars.map(({ from, to, count }) => {
    const height = round(y.at(0) - y.at(count));
    return `<rect class="bar" x="${round(x.at(from)) + 1}" y="${round(y.at(count))}" width="${round(Math.max(1, x.at(to) - x.at(from) - 2))}" height="${height}"><title>${round(from)} to ${round(to)} s: ${count}</title></rect>`;
  });
  return svg(`${axes(x, y, 's', '')}${drawn.join('')}`, name);
}

/** One bar per entry, from 0 to 100 %. */
export function sharePlot(shares: readonly { readonly name: string; readonly share: number }[], name: string): string {
  const x = createScale(shares.length, LEFT, WIDTH - 8);
  const y = createScale(1, HEIGHT - BOTTOM, TOP);
  const drawn = shares.map(({ name: label, share }, index) => {
    const width = round(Math.max(1, x.at(1) - x.at(0) - 1));
    return `<rect class="bar" x="${round(x.at(index))}" y="${round(y.at(share))}" width="${width}" height="${round(y.at(0) - y.at(share))}"><title>${label}: ${Math.round(share * 100)} %</title></rect>`;
  });
  const marks = [0, 0.5, 1].map((value) => gridLine(y.at(value), `${value * 100} %`));
  return svg(`${marks.join('')}${drawn.join('')}`, name);
}

function axes(x: Scale, y: Scale, unitX: string, unitY: string): string {
  const stepX = niceWidth(x.max / 10);
  const stepY = niceWidth(y.max / 4);
  const marks: string[] = [];
  for (let value = 0; value <= y.max * 1.001; value += stepY)
    marks.push(gridLine(y.at(value), `${round(value)}${unitY}`));
  for (let value = 0; value <= x.max * 1.001; value += stepX) {
    marks.push(`<text class="x" x="${round(x.at(value))}" y="${HEIGHT - 8}">${round(value)}${unitX}</text>`);
  }
  return marks.join('');
}

function gridLine(y: number, label: string): string {
  return `<line class="grid" x1="${LEFT}" x2="${WIDTH - 8}" y1="${round(y)}" y2="${round(y)}"/><text class="y" x="${LEFT - 6}" y="${round(y) + 4}">${label}</text>`;
}

function svg(content: string, name: string): string {
  return `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${name}">${content}</svg>`;
}
