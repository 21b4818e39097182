import type { ReactNode } from 'react';
import { Banner } from '../../shared/components/Banner.tsx';
import { Button } from '../../shared/components/Button.tsx';
import { ALERT } from '../../shared/components/icons.ts';
import type { LaterPart } from '../../shared/page/later-part.ts';
import { missingFileTexts } from '../../shared/page/missing-file-texts.ts';
import { useLaterPart } from '../../shared/page/useLaterPart.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useLanguage, useTexts } from '../../shared/texts/LanguageContext.tsx';
import { LaterSkeleton } from './LaterSkeleton.tsx';

interface LaterProps<Module> {
  readonly part: LaterPart<Module>;
  readonly children: (module: Module) => ReactNode;
}

/** A view whose program is loaded apart. If it does not arrive, its place says so. */
export function Later<Module>({ part, children }: LaterProps<Module>) {
  const t = useTexts(commonTexts);
  const { module, hasFailed, retry } = useLaterPart(part);
  if (module !== undefined) return children(module);
  if (!hasFailed) return <LaterSkeleton />;
  return (
    <div className="page-failure">
      <MissingPart />
      <Button onPress={retry}>{t('tryAgain')}</Button>
    </div>
  );
}

/** Why there is nothing. */
export function MissingPart() {
  const t = useTexts(commonTexts);
  const { language } = useLanguage();
  return (
    <Banner icon={ALERT} kind="danger" role="alert" title={missingFileTexts[language]}>
      {t('unreachable')}
    </Banner>
  );
}
