import { logOut, readSession, type Session } from '../shared/api/session.ts';
import { createLogInAddress } from '../shared/page/addresses.ts';

const element = (id: string) => document.getElementById(id) as HTMLElement;

/** Who is logged in, for pages that need to know. A failed request is theirs to explain; the bar then says nothing. */
export const readingSession = readSession();

/** Leads to the log-in page, which returns to this one. */
export function goToLogIn(reason?: 'ended'): void {
  location.assign(createLogInAddress(location, reason));
}

/** Shows in the bar who is logged in, with the account and a button to log out; or the way to the log-in page. */
export function showInBar(session: Session | undefined): void {
  element('session').hidden = session === undefined;
  element('log-in').hidden = session !== undefined;
  element('log-in').setAttribute('href', createLogInAddress(location));
  element('user').textContent = session?.operator.name ?? '';
  element('user').setAttribute('href', `/account?${new URLSearchParams({ from: location.pathname })}`);
  if (session) element('user').title = `Your account: ${session.operator.email}`;
}

element('log-out').addEventListener('click', async () => {
  const { ok } = await logOut();
  element('log-out').textContent = ok ? 'Log out' : 'Not logged out. Try again';
  if (!ok) return;
  // For the pages that show what only an operator may see.
  dispatchEvent(new Event('loggedout'));
  showInBar(undefined);
});

const answer = await readingSession;
if (answer.ok) showInBar(answer.value.authenticated ? answer.value : undefined);
