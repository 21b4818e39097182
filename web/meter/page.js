import { logIn, logOut, stillValid } from '/graphiql/session.js';

const METER = `{
  restUsage {
    key { id name prefix revokedAt }
    what count firstUsedAt lastUsedAt replacement
  }
}`;

const element = (id) => document.getElementById(id);
const form = element('login');

/** Kept for this tab alone, and shared with GraphiQL there: one login is enough. */
const kept = {
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
    body: JSON.stringify({ query: METER }),
  }).catch(() => undefined);
  if (response?.status === 401) {
    kept.clear();
    showForm('Your session has ended. Please log in again.');
    return;
  }
  form.hidden = true;
  element('password').value = '';
  element('who').textContent = email;
  element('meter').hidden = false;
  const { data, errors } = (await response?.json().catch(() => undefined)) ?? {};
  element('message').textContent = messageOf(data?.restUsage, errors);
  element('keys').replaceChildren(...sections(data?.restUsage ?? []));
}

function messageOf(uses, errors) {
  if (uses?.length === 0) return 'No key has used the REST interface. Nothing is left to do.';
  if (uses) return '';
  if (errors?.[0]?.extensions?.code === 'FORBIDDEN') return 'Only admins of the account see the meter.';
  return 'The server cannot answer now. Please try again.';
}

/** One table for each key. */
function sections(uses) {
  return Map.groupBy(uses, ({ key }) => key.id)
    .values()
    .map((own) => {
      const { name, prefix, revokedAt } = own[0].key;
      const head = make('tr', {}, ...['Used', 'Times', 'Last', 'First', 'Instead'].map(headCell));
      return make(
        'section',
        {},
        make('h2', {}, `${name} `, make('code', {}, `${prefix}…`), revokedAt ? ' (revoked)' : ''),
        make(
          'div',
          { className: 'scroll' },
          make('table', {}, make('thead', {}, head), make('tbody', {}, ...own.map(row))),
        ),
      );
    });
}

function headCell(title) {
  return make('th', { scope: 'col', className: title === 'Times' ? 'number' : '' }, title);
}

function row({ what, count, firstUsedAt, lastUsedAt, replacement }) {
  const instead = make(
    'details',
    {},
    make('summary', {}, 'GraphQL'),
    make('pre', {}, make('code', {}, replacement ?? '')),
  );
  return make(
    'tr',
    {},
    make('td', {}, make('code', {}, what)),
    make('td', { className: 'number' }, count.toLocaleString()),
    make('td', {}, moment(lastUsedAt)),
    make('td', {}, moment(firstUsedAt)),
    make('td', {}, replacement === null ? '–' : instead),
  );
}

function moment(iso) {
  return make('time', { dateTime: iso }, new Date(iso).toLocaleString());
}

/** Texts become text nodes: a name of a key is shown, never run. */
function make(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
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
  kept.write({ email, token });
  await showMeter({ email, token });
});

element('refresh').addEventListener('click', () => showMeter(kept.read()));

element('log-out').addEventListener('click', async () => {
  const session = kept.read();
  kept.clear();
  showForm();
  if (session) await logOut(session.token);
});

const session = kept.read();
if (session && (await stillValid(session.token))) await showMeter(session);
else showForm();
