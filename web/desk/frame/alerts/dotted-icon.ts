/** What fits into the dot; empty where nothing waits. */
export function formatDot(count: number): string {
  if (count === 0) return '';
  return count > 9 ? '9+' : String(count);
}

/** A dot with a text at the lower right corner of an SVG, whatever the size of its drawing. */
export function addDot(svg: string, text: string): string {
  const [left = 0, top = 0, width = 24, height = 24] = (/viewBox="([^"]+)"/.exec(svg)?.[1] ?? '')
    .split(/[ ,]+/)
    .map(Number);
  const radius = width * 0.29;
  const [x, y] = [left + width - radius, top + height - radius];
  const dot = `<circle cx="${x}" cy="${y}" r="${radius}" fill="#b3261e"/><text x="${x}" y="${y}" dy=".36em" text-anchor="middle" font-family="sans-serif" font-weight="700" font-size="${radius * (text.length > 1 ? 1.1 : 1.5)}" fill="#fff">${text}</text>`;
  return svg.replace('</svg>', `${dot}</svg>`);
}
