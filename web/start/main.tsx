import { useEffect } from 'react';
import type { Session } from '../shared/api/session.ts';
import { findHome } from '../shared/page/addresses.ts';
import { SessionPage } from '../shared/page/SessionPage.tsx';
import { startPage } from '../shared/page/start-page.tsx';

/**
 * Leads to where an operator works. The page decides that, and not the service: a browser does not send the cookie with
 * the first request from a link of another website.
 */
function StartPage() {
  return <SessionPage>{(session) => <GoHome session={session} />}</SessionPage>;
}

function GoHome({ session }: { readonly session: Session }) {
  useEffect(() => location.replace(findHome(session)), [session]);
  return null;
}

startPage(StartPage);
