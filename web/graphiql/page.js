/* global React, ReactDOM, GraphiQL, graphqlWs */
import { editorStorage } from './editor-storage.js';
import { logIn, logOut, stillValid, takeCode, useCode } from './session.js';

const WELCOME = `# The book at the top left: the documentation.
# Ctrl and Space: what fits here.
# Ctrl and Enter: run.

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

/** The server closes a socket with this code when the token has ended, and with 4403 when it never was valid. */
const TOKEN_CLOSES = [4401, 4403];

const element = (id) => document.getElementById(id);
const form = element('login');

/** Kept for this tab alone, so that a reload needs no login; gone with the tab, and with the log-out. */
const kept = {
  read: () => JSON.parse(sessionStorage.getItem('switchboard:session') ?? 'null'),
  write: (session) => sessionStorage.setItem('switchboard:session', JSON.stringify(session)),
  clear: () => sessionStorage.clear(),
};

let close = () => {};

function showForm(problem = '') {
  close();
  element('session').hidden = true;
  element('graphiql').hidden = true;
  form.hidden = false;
  element('problem').textContent = problem;
  element(element('email').value === '' ? 'email' : 'password').focus();
}

function showGraphiql({ email, token }) {
  form.hidden = true;
  element('password').value = '';
  element('who').textContent = email;
  element('session').hidden = false;
  element('graphiql').hidden = false;
  const ended = () => {
    kept.clear();
    showForm('Your session has ended. Please log in again.');
  };
  const sockets = graphqlWs.createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { token },
    on: { closed: ({ code }) => TOKEN_CLOSES.includes(code) && ended() },
  });
  const fetcher = GraphiQL.createFetcher({
    url: '/graphql',
    headers: { Authorization: `Bearer ${token}` },
    wsClient: sockets,
    enableIncrementalDelivery: false,
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (response.status === 401) ended();
      return response;
    },
  });
  const storage = editorStorage();
  const root = ReactDOM.createRoot(element('graphiql'));
  root.render(
    React.createElement(GraphiQL, {
      fetcher,
      defaultQuery: WELCOME,
      storage,
      showPersistHeadersSettings: false,
    }),
  );
  close = () => {
    close = () => {};
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
  kept.write({ email, token });
  showGraphiql({ email, token });
});

element('log-out').addEventListener('click', async () => {
  const session = kept.read();
  showForm();
  kept.clear();
  if (session) await logOut(session.token);
});

async function start() {
  const code = takeCode();
  if (code !== null) {
    kept.clear(); // whoever was here before is somebody else
    const { session, problem } = await useCode(code);
    if (!session) return showForm(problem);
    kept.write(session);
    return showGraphiql(session);
  }
  const session = kept.read();
  return session && (await stillValid(session.token)) ? showGraphiql(session) : showForm();
}

// The link of a single sign-on may also be used where this page is open: then only the fragment changes.
addEventListener('hashchange', () => location.hash.startsWith('#code=') && location.reload());
await start();
