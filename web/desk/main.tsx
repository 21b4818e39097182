import { SessionPage } from '../shared/page/SessionPage.tsx';
import { startPage } from '../shared/page/start-page.tsx';
import { DeskStart } from './DeskStart.tsx';
import { parseRoute } from './frame/route.ts';
import { conversationPart } from './later/parts.ts';

// Together with what the desk reads. A failure is told where it would stand.
if (parseRoute(new URL(location.href)).view === 'conversation') conversationPart.load().catch(() => undefined);
startPage(() => <SessionPage>{(session) => <DeskStart session={session} />}</SessionPage>);
