import { useEffect } from 'react';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useDesk, useDeskActions } from '../DeskContext.tsx';
import { railTexts } from '../rail/texts.ts';
import { useToast } from './ToastContext.tsx';
import { useVisitorName } from './useVisitorName.ts';

/** Says once what left the operator by itself. */
export function useLosses(): void {
  const t = useTexts(railTexts);
  const nameVisitor = useVisitorName();
  const show = useToast();
  const [loss] = useDesk((state) => state.losses);
  const { forgetLoss } = useDeskActions();
  useEffect(() => {
    if (loss === undefined) return;
    const name = nameVisitor(loss.visitor);
    show({ text: loss.reason === 'timed_out' ? t('missed', { name }) : t('withdrawn', { name }) });
    forgetLoss(loss.conversationId);
  }, [loss, nameVisitor, show, t, forgetLoss]);
}
