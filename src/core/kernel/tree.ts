/** Whether a node would become its own ancestor with this parent. `parents` maps each node to its parent. */
export function wouldCreateCycle(node: number, parentId: number, parents: ReadonlyMap<number, number | null>): boolean {
  for (let ancestor: number | null = parentId; ancestor !== null; ancestor = parents.get(ancestor) ?? null) {
    if (ancestor === node) return true;
  }
  return false;
}

/** Lists a parent and all its ancestors, nearest first. */
export function listAncestors(parentId: number | null, parents: ReadonlyMap<number, number | null>): number[] {
  const ancestors: number[] = [];
  for (let next = parentId; next !== null; next = parents.get(next) ?? null) ancestors.push(next);
  return ancestors;
}

/** Returns a node and all its descendants. */
export function collectSubtree(node: number, parents: ReadonlyMap<number, number | null>): ReadonlySet<number> {
  const subtree = [...parents].filter(
    ([id, parentId]) => id === node || listAncestors(parentId, parents).includes(node),
  );
  return new Set(subtree.map(([id]) => id));
}
