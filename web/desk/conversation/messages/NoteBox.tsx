import type { ReactNode } from 'react';
import { Icon } from '../../../shared/components/Icon.tsx';
import { LOCK } from '../icons.ts';
import { Linked } from './Linked.tsx';

interface NoteBoxProps {
  readonly head: ReactNode;
  readonly text: string;
  readonly isPending?: boolean;
  readonly children?: ReactNode;
}

/** Never a bubble, so that it is not taken for a message to the visitor. */
export function NoteBox({ head, text, isPending = false, children }: NoteBoxProps) {
  return (
    <div className="note" data-pending={isPending ? '' : undefined}>
      <p className="note-head">
        <Icon path={LOCK} />
        <span>{head}</span>
      </p>
      <p className="note-text" dir="auto">
        <Linked text={text} />
      </p>
      {children}
    </div>
  );
}
