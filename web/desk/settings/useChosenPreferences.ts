import { useState } from 'react';
import type { Failure } from '../../shared/api/request.ts';
import { useSaving } from '../../shared/frame/useSaving.ts';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import type { Preferences } from '../state/model.ts';

interface ChosenPreferences {
  /** With what was chosen and is being saved. */
  readonly preferences: Preferences;
  readonly choose: (choice: Partial<Preferences>) => void;
  readonly failure: Failure | undefined;
  readonly retry: () => void;
}

/** Shows a choice at once and saves it. What was not saved stays as it was chosen, and can be tried again. */
export function useChosenPreferences(): ChosenPreferences {
  const stored = useDesk((state) => state.viewer.preferences);
  const { updatePreferences } = useDeskActions();
  const [chosen, setChosen] = useState<Partial<Preferences>>({});
  const { save, retry, failure } = useSaving(async (choice: Partial<Preferences>) => {
    const answer = await updatePreferences(choice);
    // What was chosen meanwhile stays.
    if (answer.ok) setChosen((now) => without(now, choice));
    return answer;
  });
  const choose = (choice: Partial<Preferences>) => {
    const all = { ...chosen, ...choice };
    setChosen(all);
    save(all);
  };
  return { preferences: { ...stored, ...chosen }, choose, failure, retry };
}

function without(chosen: Partial<Preferences>, saved: Partial<Preferences>): Partial<Preferences> {
  const entries = Object.entries(chosen).filter(([key, value]) => saved[key as keyof Preferences] !== value);
  return Object.fromEntries(entries);
}
