import { useCallback } from 'react';
import type { Answer } from '../../shared/api/request.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useToast } from './ToastContext.tsx';
import { frameTexts } from './texts.ts';

/** Says why an action failed, if it failed. Someone else can have been faster. */
export function useReport(): (running: Promise<Answer<unknown>>) => Promise<boolean> {
  const t = useTexts(frameTexts);
  const common = useTexts(commonTexts);
  const show = useToast();
  return useCallback(
    async (running) => {
      const answer = await running;
      if (answer.ok) return true;
      const { kind } = answer.failure;
      if (kind === 'refused') show({ text: t('refused') });
      else show({ text: kind === 'loggedOut' ? common('loggedOutTitle') : common('unreachableTitle') });
      return false;
    },
    [t, common, show],
  );
}
