import type { Failure } from '../../shared/api/request.ts';
import type { Note, OperatorLive, Preferences } from '../state/model.ts';

/** What the service does not tell yet. */
export const MISSING_LIVE: Pick<OperatorLive, 'pauseReason' | 'takenOffline'> = {
  pauseReason: null,
  takenOffline: null,
};

export const MISSING_PREFERENCES: Omit<Preferences, 'theme'> = {
  ...{ sound: true, notifications: true, singleKeyShortcuts: true, density: 'COMFORTABLE', enterSends: true },
};

export const MISSING_NOTE: Note | null = null;

export const MISSING_NOTE_FAILURE: Failure = { kind: 'refused', code: 'unknown', description: 'There are no notes.' };
