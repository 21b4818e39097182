/** A dot at the lower right corner of an SVG, whatever the size of its drawing. */
export function addDot(svg: string, count: number): string {
  const [left = 0, top = 0, width = 24, height = 24] = (/viewBox="([^"]+)"/.exec(svg)?.[1] ?? '')
    .split(/[ ,]+/)
    .map(Number);
  const radius = width * 0.29;
  const [x, y] = [left + width - radius, top + height - radius];
  const text = count > 9 ? '9+' : String(count);
  const dot = `<circle cx="${x}" cy="${y}" r="${radius}" fill="#b3261e"/><text x="${x}" y="${y}" dy=".36em" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${radius * (text.length > 1 ? 1.1 : 1.5)}" fill="#fff">${text}</text>`;
  return svg.replace('</svg>', `${dot}</svg>`);
}
