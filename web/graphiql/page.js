/* global React, ReactDOM, GraphiQL, graphqlWs */
import { createEditorStorage } from './editor-storage.js';
import { consumeCode, exchangeCode, isTokenValid, logIn, logOut } from './session.js';

const WELCOME = `# Documentation: the book icon at the top left.
# Autocomplete: Ctrl-Space.
# Run: Ctrl-Enter.

query Operators {
  viewer {
    pseudo
  }
  operators(first: 5) {
    totalCount
    nodes {
      id
      pseudo
      live {
        connected
      }
    }
  }
}
`;

/** Close codes: 4401 if the token has ended, 4403 if it was never valid. */
const INVALID_TOKEN_CODES = [4401, 4403];

const element = (id) => document.getElementById(id);
const form = element('login');

/** Stored per tab, so that a reload needs no login; cleared when the tab is closed and on logout. */
const storedSession = {
  read: () => JSON.parse(sessionStorage.getItem('switchboard:session') ?? 'null'),
  write: (session) => sessionStorage.setItem('switchboard:session', JSON.stringify(session)),
  clear: () => sessionStorage.clear(),
};

let closeGraphiql = () => {};

function showForm(problem = '') {
  closeGraphiql();
  element('session').hidden = true;
  element('graphiql').hidden = true;
  form.hidden = false;
  element('problem').textContent = problem;
  element(element('email').value === '' ? 'email' : 'password').focus();
}

function showGraphiql({ email, token }) {
  form.hidden = true;
  element('password').value = '';
  element('user').textContent = email;
  element('session').hidden = false;
  element('graphiql').hidden = false;
  const endSession = () => {
    storedSession.clear();
    showForm('Your session has ended. Please log in again.');
  };
  const sockets = graphqlWs.createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { token },
    on: { closed: ({ code }) => INVALID_TOKEN_CODES.includes(code) && endSession() },
  });
  const fetcher = GraphiQL.createFetcher({
    url: '/graphql',
    headers: { Authorization: `Bearer ${token}` },
    wsClient: sockets,
    enableIncrementalDelivery: false,
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (response.status === 401) endSession();
      return response;
    },
  });
  const storage = createEditorStorage();
  const root = ReactDOM.createRoot(element('graphiql'));
  root.render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultQuery: WELCOME,
      storage,
      showPersistHeadersSettings: false,
    }),
  );
  closeGraphiql = () => {
    closeGraphiql = () => {};
    storage.close();
    root.unmount();
    sockets.dispose();
  };
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
  showGraphiql({ email, token });
});

element('log-out').addEventListener('click', async () => {
  const session = storedSession.read();
  showForm();
  storedSession.clear();
  if (session) await logOut(session.token);
});

async function start() {
  const code = consumeCode();
  if (code !== null) {
    storedSession.clear(); // the code may belong to another operator
    const { session, problem } = await exchangeCode(code);
    if (!session) return showForm(problem);
    storedSession.write(session);
    return showGraphiql(session);
  }
  const session = storedSession.read();
  return session && (await isTokenValid(session.token)) ? showGraphiql(session) : showForm();
}

// If a single sign-on link is opened while this page is open, only the fragment changes.
addEventListener('hashchange', () => location.hash.startsWith('#code=') && location.reload());
await start();
