import type { Installation } from '../app/installation.ts';
import type { Operator } from '../core/operators/operator.ts';

const PAGE_SIZE = 500;

/** Loads the operators of an account, oldest first. */
export async function loadAllOperators(
  { administration: { operatorQuery } }: Installation,
  accountId: number,
): Promise<Operator[]> {
  const operators: Operator[] = [];
  for (let after: number | undefined; ; ) {
    const { rows, hasNext } = await operatorQuery.slice(accountId, {}, { limit: PAGE_SIZE, after, backwards: false });
    operators.push(...rows);
    if (!hasNext) return operators.reverse();
    after = rows.at(-1)?.id;
  }
}
