import { useCallback, useState } from 'react';
import { readDraft, writeDraft } from '../../state/drafts.ts';
import type { ComposerMode } from './Composer.tsx';

/**
 * A note that was begun comes back as a note: what is typed next must not go to the visitor. Without one it is a
 * message.
 */
export function useComposerMode(
  conversationId: string,
): readonly [mode: ComposerMode, setMode: (mode: ComposerMode) => void] {
  const key = `${conversationId}:mode`;
  const [mode, setState] = useState(() => findMode(conversationId, readDraft(key)));
  const setMode = useCallback(
    (next: ComposerMode) => {
      setState(next);
      writeDraft(key, next === 'note' ? next : '');
    },
    [key],
  );
  return [mode, setMode];
}

function findMode(conversationId: string, stored: string): ComposerMode {
  return stored === 'note' && readDraft(`${conversationId}:note`) !== '' ? 'note' : 'message';
}
