/** Formats rows of text in aligned columns. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const formatLine = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [formatLine(head), ...rows.map(formatLine)].join('\n');
}

export function formatTime(milliseconds: number | null): string {
  return milliseconds === null ? '-' : new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
}
