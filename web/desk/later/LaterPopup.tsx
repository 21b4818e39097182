import { type ReactNode, useEffect, useRef } from 'react';
import { loadAgain } from '../../shared/page/load-again.ts';
import { missingFileTexts } from '../../shared/page/missing-file-texts.ts';
import { useLaterPart } from '../../shared/page/useLaterPart.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { useToast } from '../frame/ToastContext.tsx';
import { type Extras, useExtras } from './ExtrasContext.ts';

interface LaterPopupProps {
  readonly onOpenChange: (isOpen: boolean) => void;
  readonly children: (extras: Extras) => ReactNode;
}

/** What opens beside its button, with a program that is loaded apart. A failure has no room there: a toast says it. */
export function LaterPopup({ onOpenChange, children }: LaterPopupProps) {
  const t = useTexts(commonTexts);
  const { language } = useLanguage();
  const part = useExtras();
  const show = useToast();
  const { module, hasFailed } = useLaterPart(part);
  const fail = () => {
    onOpenChange(false);
    const open = async () => ((await loadAgain(part)) ? onOpenChange(true) : fail());
    show({ text: missingFileTexts[language], action: { label: t('tryAgain'), onPress: open } });
  };
  const latestFail = useRef(fail);
  latestFail.current = fail;
  useEffect(() => {
    if (hasFailed) latestFail.current();
  }, [hasFailed]);
  return module !== undefined && children(module);
}
