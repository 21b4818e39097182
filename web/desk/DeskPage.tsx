import type { Session } from '../shared/api/session.ts';
import { type Desk, DeskContext } from './DeskContext.tsx';
import { DeskFrame } from './frame/DeskFrame.tsx';

interface DeskPageProps {
  readonly session: Session;
  readonly desk: Desk;
}

export function DeskPage({ session, desk }: DeskPageProps) {
  return (
    <DeskContext value={desk}>
      <DeskFrame session={session} />
    </DeskContext>
  );
}
