import type { ReactNode } from 'react';
import type { Answer } from '../api/request.ts';
import { Button } from '../components/Button.tsx';
import { Dialog } from '../components/Dialog.tsx';
import { commonTexts } from '../texts/common.ts';
import { useTexts } from '../texts/LanguageContext.tsx';
import { FailureBanner } from './FailureBanner.tsx';
import { useAttempt } from './useAttempt.ts';

interface ConfirmDialogProps {
  readonly title: string;
  /** The verb of the title. */
  readonly action: string;
  readonly run: () => Promise<Answer<unknown>>;
  readonly onDone: () => void;
  readonly onCancel: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Before something that cannot be undone. It stays open until it is done, and says why it failed. */
export function ConfirmDialog({ title, action, run, onDone, onCancel, children }: ConfirmDialogProps) {
  const t = useTexts(commonTexts);
  const { start, isPending, failure, wait } = useAttempt(run, onDone);
  return (
    <Dialog title={title} onCancel={onCancel}>
      <p>{children}</p>
      <FailureBanner failure={failure} wait={wait} />
      <div className="dialog-actions">
        <Button onPress={onCancel} data-first-focus="">
          {t('cancel')}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => start(undefined)}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
