import type { DeskState } from './model.ts';

/**
 * A list that is the same object while its members are, as `useDesk` needs it. It depends on the conversations and the
 * viewer only.
 */
export function memoizeList<Member>(
  select: (state: DeskState) => readonly Member[],
): (state: DeskState) => readonly Member[] {
  let last: { readonly state: DeskState; readonly list: readonly Member[] } | undefined;
  return (state) => {
    if (last && last.state.conversations === state.conversations && last.state.viewer.id === state.viewer.id)
      return last.list;
    const selected = select(state);
    const list = last && hasSameMembers(last.list, selected) ? last.list : selected;
    last = { state, list };
    return list;
  };
}

function hasSameMembers<Member>(first: readonly Member[], second: readonly Member[]): boolean {
  return first.length === second.length && first.every((member, index) => member === second[index]);
}
