import type { Transaction } from '../../../storage/database.ts';
import { prepare, preparePerShape } from '../../../storage/prepared-statement.ts';
import type { AccountContext } from '../../kernel/caller.ts';

/** The two sides of a conversation. The operators who handle it one after the other are one side. */
export type Side = 'visitor' | 'operator';

/** The sequence number up to which each side has read; 0 if it has read nothing. */
export interface ReadMarkers {
  readonly visitorUpTo: number;
  readonly operatorUpTo: number;
}

export const MARKER_COLUMNS = { visitor: 'visitorUpTo', operator: 'operatorUpTo' } as const;

interface MarkerArgs {
  readonly accountId: number;
  readonly conversationId: number;
  readonly upTo: number;
}

const advance = preparePerShape((side: Side) =>
  prepare<MarkerArgs, ReadMarkers>((db, { accountId, conversationId, upTo }) => {
    const column = MARKER_COLUMNS[side];
    return db
      .insertInto('readMarkers')
      .values({ accountId, conversationId, [column]: upTo })
      .onConflict((oc) =>
        oc
          .columns(['accountId', 'conversationId'])
          .doUpdateSet((eb) => ({ [column]: eb.ref(`excluded.${column}`) }))
          .whereRef(`readMarkers.${column}`, '<', `excluded.${column}`),
      )
      .returning(['visitorUpTo', 'operatorUpTo']);
  }),
);

/** Moves a side's marker forward. Returns undefined if it is already as far: a marker never goes back. */
export async function advanceReadMarker(
  tx: Transaction,
  { accountId }: AccountContext,
  { conversationId, side, upTo }: { conversationId: number; side: Side; upTo: number },
): Promise<ReadMarkers | undefined> {
  return (await tx.run(advance(side), { accountId, conversationId, upTo }))[0];
}
