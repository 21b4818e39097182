import { SessionPage } from '../shared/page/SessionPage.tsx';
import { startPage } from '../shared/page/start-page.tsx';
import { DeskStart } from './DeskStart.tsx';

startPage(() => <SessionPage>{(session) => <DeskStart session={session} />}</SessionPage>);
