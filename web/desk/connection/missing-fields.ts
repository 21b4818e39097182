import type { OperatorLive, Preferences } from '../state/model.ts';

/** What the service does not tell yet. */
export const MISSING_LIVE: Pick<OperatorLive, 'pauseReason' | 'takenOffline'> = {
  pauseReason: null,
  takenOffline: null,
};

export const MISSING_PREFERENCES: Omit<Preferences, 'theme'> = {
  ...{ sound: true, notifications: true, singleKeyShortcuts: true, density: 'COMFORTABLE', enterSends: true },
};
