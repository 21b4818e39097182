import type { ReactNode } from 'react';
import { Button } from '../../shared/components/Button.tsx';
import { Dialog } from '../../shared/components/Dialog.tsx';
import { useLaterPart } from '../../shared/page/useLaterPart.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';
import { frameTexts } from '../frame/texts.ts';
import { type Extras, useExtras } from './ExtrasContext.ts';
import { MissingPart } from './Later.tsx';
import { LaterSkeleton } from './LaterSkeleton.tsx';

interface LaterDialogProps {
  /** Until the dialog with its own title is there. */
  readonly title: string;
  readonly onCancel: () => void;
  readonly children: (extras: Extras) => ReactNode;
}

/** A dialog whose program is loaded apart. It opens at once, whatever the connection. */
export function LaterDialog({ title, onCancel, children }: LaterDialogProps) {
  const t = useTexts(frameTexts);
  const common = useTexts(commonTexts);
  const { module, hasFailed, retry } = useLaterPart(useExtras());
  if (module !== undefined) return children(module);
  return (
    <Dialog title={title} onCancel={onCancel}>
      {hasFailed ? <MissingPart /> : <LaterSkeleton />}
      <div className="dialog-actions">
        <Button onPress={onCancel} autoFocus>
          {t('close')}
        </Button>
        {hasFailed && (
          <Button kind="primary" onPress={retry}>
            {common('tryAgain')}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
