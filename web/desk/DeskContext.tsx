import { createContext, use, useSyncExternalStore } from 'react';
import type { Desk, DeskActions } from './desk.ts';
import type { DeskState } from './state/model.ts';

export type { Desk, DeskActions } from './desk.ts';

export const DeskContext = createContext<Desk | undefined>(undefined);

export function useDeskActions(): DeskActions {
  return useDeskStore().actions;
}

/** A part of the state; the view is drawn again only when it changes. The selector must return what is in the state. */
export function useDesk<Part>(select: (state: DeskState) => Part): Part {
  const desk = useDeskStore();
  return useSyncExternalStore(desk.subscribe, () => select(desk.getState()));
}

/** For what watches the state without being drawn again. */
export function useDeskStore(): Desk {
  const desk = use(DeskContext);
  if (desk === undefined) throw new Error('The view is outside of a desk.');
  return desk;
}
