/** Whether a node would stand above itself when it is put under `parentId`. `parents` tells who is above whom. */
export function wouldBeCycle(node: number, parentId: number, parents: ReadonlyMap<number, number | null>): boolean {
  for (let above: number | null = parentId; above !== null; above = parents.get(above) ?? null) {
    if (above === node) return true;
  }
  return false;
}

/** All above a node, the nearest first. */
export function ancestors(parentId: number | null, parents: ReadonlyMap<number, number | null>): number[] {
  const above: number[] = [];
  for (let next = parentId; next !== null; next = parents.get(next) ?? null) above.push(next);
  return above;
}

/** A node and everything under it. */
export function under(node: number, parents: ReadonlyMap<number, number | null>): ReadonlySet<number> {
  const found = [...parents].filter(([id, parentId]) => id === node || ancestors(parentId, parents).includes(node));
  return new Set(found.map(([id]) => id));
}
