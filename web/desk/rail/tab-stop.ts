/** The row to which the Tab key leads: the one that has the focus, else the open one, else the first. */
export function findTabStop(ids: readonly string[], ...preferred: readonly (string | undefined)[]): string | undefined {
  return preferred.find((id) => id !== undefined && ids.includes(id)) ?? ids[0];
}
