import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createClient } from 'graphql-ws';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { LoginForm } from '../login-form.ts';
import { consumeCode, exchangeCode, isTokenValid, logOut, type Session, storedSession } from '../session.ts';
import { createEditorStorage } from './editor-storage.ts';

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

/** The policy of this page allows style elements with its nonce. The dialogs read it from this global variable. */
Object.assign(window, { __webpack_nonce__: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce });

const container = document.getElementById('graphiql') as HTMLElement;
const form = new LoginForm(showGraphiql);
let closeGraphiql = () => {};

function showForm(problem?: string): void {
  closeGraphiql();
  container.hidden = true;
  form.show(problem);
}

function showGraphiql(session: Session): void {
  const { token } = session;
  form.hide(session);
  container.hidden = false;
  const endSession = () => {
    storedSession.clear();
    showForm('Your session has ended. Please log in again.');
  };
  const sockets = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: { token },
    on: {
      closed: (event) => {
        if (INVALID_TOKEN_CODES.includes((event as CloseEvent).code)) endSession();
      },
    },
  });
  const fetcher = createGraphiQLFetcher({
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
  const root = createRoot(container);
  root.render(createElement(GraphiQL, { fetcher, defaultQuery: WELCOME, storage, showPersistHeadersSettings: false }));
  closeGraphiql = () => {
    closeGraphiql = () => {};
    storage.close();
    root.unmount();
    sockets.dispose();
  };
}

document.getElementById('log-out')?.addEventListener('click', async () => {
  const session = storedSession.read();
  showForm();
  storedSession.clear();
  if (session) await logOut(session.token);
});

async function start(): Promise<void> {
  const code = consumeCode();
  if (code !== null) {
    storedSession.clear(); // the code may belong to another operator
    const attempt = await exchangeCode(code);
    if ('problem' in attempt) return showForm(attempt.problem);
    storedSession.write(attempt.result);
    return showGraphiql(attempt.result);
  }
  const session = storedSession.read();
  return session && (await isTokenValid(session.token)) ? showGraphiql(session) : showForm();
}

// If a single sign-on link is opened while this page is open, only the fragment changes.
addEventListener('hashchange', () => location.hash.startsWith('#code=') && location.reload());
await start();
