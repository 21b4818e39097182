import type { Session } from '../shared/api/session.ts';
import { ConversationMemory } from './conversation/memory/ConversationMemory.tsx';
import { type Desk, DeskContext } from './DeskContext.tsx';
import { DeskFrame } from './frame/DeskFrame.tsx';
import { ToastProvider } from './frame/ToastContext.tsx';
import { ExtrasContext } from './later/ExtrasContext.ts';
import { extrasPart } from './later/parts.ts';

interface DeskPageProps {
  readonly session: Session;
  readonly desk: Desk;
}

export function DeskPage({ session, desk }: DeskPageProps) {
  return (
    <DeskContext value={desk}>
      <ExtrasContext value={extrasPart}>
        <ToastProvider>
          <ConversationMemory>
            <DeskFrame session={session} />
          </ConversationMemory>
        </ToastProvider>
      </ExtrasContext>
    </DeskContext>
  );
}
