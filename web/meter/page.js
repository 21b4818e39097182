import { isTokenValid, logIn, logOut } from '/graphiql/session.js';

const USAGE_QUERY = `{
  restUsage {
    key { id name prefix revokedAt }
    what count firstUsedAt lastUsedAt replacement
  }
}`;

const element = (id) => document.getElementById(id);
const form = element('login');

/** Stored per tab and shared with GraphiQL: one login is enough. */
const storedSession = {
  read: () => JSON.parse(sessionStorage.getItem('switchboard:session') ?? 'null'),
  write: (session) => sessionStorage.setItem('switchboard:session', JSON.stringify(session)),
  clear: () => sessionStorage.clear(),
};

function showForm(problem = '') {
  element('meter').hidden = true;
  element('keys').replaceChildren();
  form.hidden = false;
  element('problem').textContent = problem;
  element(element('email').value === '' ? 'email' : 'password').focus();
}

async function showMeter({ email, token }) {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query: USAGE_QUERY }),
  }).catch(() => undefined);
  if (response?.status === 401) {
    storedSession.clear();
    showForm('Your session has ended. Please log in again.');
    return;
  }
  form.hidden = true;
  element('password').value = '';
  element('user').textContent = email;
  element('meter').hidden = false;
  const { data, errors } = (await response?.json().catch(() => undefined)) ?? {};
  element('message').textContent = describeResult(data?.restUsage, errors);
  element('keys').replaceChildren(...createSections(data?.restUsage ?? []));
}

function describeResult(usages, errors) {
  if (usages?.length === 0) return 'No key has used the REST API. There is nothing to migrate.';
  if (usages) return '';
  if (errors?.[0]?.extensions?.code === 'FORBIDDEN') return 'Only admins of the account can see the meter.';
  return 'The server is not available. Please try again.';
}

/** One table per key. */
function createSections(usages) {
  return Map.groupBy(usages, ({ key }) => key.id)
    .values()
    .map((usagesOfKey) => {
      const { name, prefix, revokedAt } = usagesOfKey[0].key;
      const head = createElement(
        'tr',
        {},
        ...['Call', 'Count', 'Last used', 'First used', 'Replacement'].map(createHeadCell),
      );
      return createElement(
        'section',
        {},
        createElement('h2', {}, `${name} `, createElement('code', {}, `${prefix}…`), revokedAt ? ' (revoked)' : ''),
        createElement(
          'div',
          { className: 'scroll' },
          createElement(
            'table',
            {},
            createElement('thead', {}, head),
            createElement('tbody', {}, ...usagesOfKey.map(createRow)),
          ),
        ),
      );
    });
}

function createHeadCell(title) {
  return createElement('th', { scope: 'col', className: title === 'Count' ? 'number' : '' }, title);
}

function createRow({ what, count, firstUsedAt, lastUsedAt, replacement }) {
  const details = createElement(
    'details',
    {},
    createElement('summary', {}, 'GraphQL'),
    createElement('pre', {}, createElement('code', {}, replacement ?? '')),
  );
  return createElement(
    'tr',
    {},
    createElement('td', {}, createElement('code', {}, what)),
    createElement('td', { className: 'number' }, count.toLocaleString()),
    createElement('td', {}, createTime(lastUsedAt)),
    createElement('td', {}, createTime(firstUsedAt)),
    createElement('td', {}, replacement === null ? '–' : details),
  );
}

function createTime(iso) {
  return createElement('time', { dateTime: iso }, new Date(iso).toLocaleString());
}

/** Strings become text nodes, so a key's name is never parsed as HTML. */
function createElement(name, properties, ...children) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = form.querySelector('button');
  button.disabled = true;
  element('problem').textContent = '';
  const email = element('email').value.trim();
  const { token, problem } = await logIn(email, element('password').value);
  button.disabled = false;
  if (token === undefined) {
    element('problem').textContent = problem;
    element('password').select();
    return;
  }
  storedSession.write({ email, token });
  await showMeter({ email, token });
});

element('refresh').addEventListener('click', () => showMeter(storedSession.read()));

element('log-out').addEventListener('click', async () => {
  const session = storedSession.read();
  storedSession.clear();
  showForm();
  if (session) await logOut(session.token);
});

const session = storedSession.read();
if (session && (await isTokenValid(session.token))) await showMeter(session);
else showForm();
