import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import type { Session } from '../../shared/api/session.ts';
import { getSessionOwner, setSessionOwner } from '../../shared/api/session-owner.ts';
import { createLogInAddress } from '../../shared/page/addresses.ts';
import { goToLogIn, readingSession } from '../bar.ts';
import { createEditorStorage } from './editor-storage.ts';
import { createFetcher } from './fetcher.ts';

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

/** The policy of this page allows style elements with its nonce. The dialogs read it from this global variable. */
Object.assign(window, { __webpack_nonce__: document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce });

const element = (id: string) => document.getElementById(id) as HTMLElement;

/** The editor stays as it is: what was typed is there again after the next log-in. */
function showSessionEnded(): void {
  element('log-in-again').setAttribute('href', createLogInAddress(location, 'ended'));
  element('ended').hidden = false;
}

function showGraphiql(session: Session): void {
  setSessionOwner(session);
  const storage = createEditorStorage(getSessionOwner());
  const fetcher = createFetcher(showSessionEnded);
  const root = createRoot(element('graphiql'));
  root.render(createElement(GraphiQL, { fetcher, defaultQuery: WELCOME, storage, showPersistHeadersSettings: false }));
  addEventListener('loggedout', () => {
    storage.close();
    root.unmount();
    goToLogIn();
  });
}

const answer = await readingSession;
if (!answer.ok) element('unreachable').hidden = false;
else if (answer.value.authenticated && !answer.value.mustSetUpTwoFactor) showGraphiql(answer.value);
else goToLogIn();
