import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Accounts } from '../../core/access/accounts.ts';
import { parseId } from '../../core/kernel/ids.ts';
import { sendJson } from './token-response.ts';

export const SESSION_OPTIONS_PATH = '/session/options';

/** No account has it. */
const UNKNOWN_ACCOUNT_ID = 0;

/** What the log-in page may know before anyone has logged in. */
export function registerSessionOptions(app: FastifyInstance, accounts: Accounts): void {
  app.get(SESSION_OPTIONS_PATH, async (request, reply) =>
    sendJson(reply, 200, await accounts.findLoginOptions(readAccountId(request))),
  );
}

function readAccountId(request: FastifyRequest): number | undefined {
  const [, query = ''] = request.url.split('?', 2);
  const id = new URLSearchParams(query).get('account');
  return id === null ? undefined : (parseId(id) ?? UNKNOWN_ACCOUNT_ID);
}
