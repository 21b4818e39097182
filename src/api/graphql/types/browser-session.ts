import type { FailedLogin } from '../../../core/access/failed-logins.ts';
import { type BrowserSession, canReadSessions, requireCanEndSessions } from '../../../core/access/sessions.ts';
import { type Caller, requireOperatorId } from '../../../core/kernel/caller.ts';
import type { Operator } from '../../../core/operators/operator.ts';
import { forbiddenError } from '../../graphql-server/errors.ts';
import { requireId } from '../../graphql-server/ids.ts';
import { objectPayload } from '../../graphql-server/mutation.ts';
import { authorizeOnOperator } from '../authorize.ts';
import { addMutation, builder } from '../builder.ts';
import type { Context } from '../context.ts';
import { OperatorRef } from './operator.ts';

const OPERATOR_DESCRIPTION = 'The operator. Defaults to the viewer; required with an API key.';

const BrowserSessionRef = builder.objectRef<BrowserSession>('BrowserSession').implement({
  description: 'A browser in which an operator is logged in.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The identifier of the session.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When the operator logged in.' }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      description: 'When the session was last used, recorded about once a minute.',
    }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When the session ends.' }),
    device: t.exposeString('device', { nullable: true, description: 'The user agent that logged in.' }),
    address: t.exposeString('address', { nullable: true, description: 'The network address that logged in.' }),
    isCurrent: t.boolean({
      description: 'Whether this request uses the session.',
      resolve: ({ id }, _args, { caller }) => caller.sessionExpiresAt !== undefined && caller.tokenId === id,
    }),
  }),
});

const FailedLoginReasonEnum = builder.enumType('FailedLoginReason', {
  description: 'Why a login was refused.',
  values: {
    WRONG_PASSWORD: { value: 'wrong_password', description: 'The password was wrong.' },
    WRONG_CODE: { value: 'wrong_code', description: 'The password was right, the code of the second factor was not.' },
  } as const,
});

const FailedLoginRef = builder.objectRef<FailedLogin>('FailedLogin').implement({
  description: 'A login that was refused. Kept for at most 30 days.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'When it was.' }),
    address: t.exposeString('address', { description: 'The network address.' }),
    device: t.exposeString('device', { nullable: true, description: 'The user agent.' }),
    reason: t.expose('reason', { type: FailedLoginReasonEnum, description: 'Why it was refused.' }),
  }),
});

builder.objectFields(OperatorRef, (t) => ({
  sessions: t.field({
    type: [BrowserSessionRef],
    nullable: true,
    description: 'The browsers in which the operator is logged in, newest first. For the operator and admins.',
    resolve: ({ id }: Operator, _args, { caller, load }) => {
      if (!canReadSessions(caller, { id })) throw forbiddenError();
      return load.sessions.load(id);
    },
  }),
  failedLogins: t.field({
    type: [FailedLoginRef],
    nullable: true,
    description:
      'The newest 20 logins with the e-mail address of the operator that were refused, newest first. For the operator and admins.',
    resolve: ({ id, email }: Operator, _args, { caller, load }) => {
      if (!canReadSessions(caller, { id })) throw forbiddenError();
      return load.failedLogins.load(email);
    },
  }),
}));

const loadOperator = async (operatorId: number, { load }: Context) => {
  const operator = await load.operator.load(operatorId);
  if (!operator) throw forbiddenError(); // deleted in the meantime
  return operator;
};

function toOperatorId(caller: Caller, id: string | null | undefined): number {
  return id === null || id === undefined ? requireOperatorId(caller) : requireId('operator', id);
}

const payload = objectPayload('operator', OperatorRef, loadOperator);

addMutation('sessionEnd', {
  description: 'Logs a browser out, on all nodes within a second. Operators do this for themselves, admins for all.',
  argumentDescription: 'The session to end.',
  input: {
    description: 'The session to end.',
    fields: (t) => ({
      id: t.id({ required: true, description: 'The identifier of the session.' }),
      operatorId: t.id({ description: OPERATOR_DESCRIPTION }),
    }),
  },
  payload,
  authorize: (context, { operatorId }) => authorizeOnOperator(context, operatorId, requireCanEndSessions),
  run: (commit, { caller, services }, { id, operatorId }) =>
    services.access.sessions.end(commit, caller, toOperatorId(caller, operatorId), requireId('session', id)),
});

addMutation('sessionsEnd', {
  description: 'Logs all browsers of an operator out, except the one that sends this.',
  argumentDescription: 'The operator.',
  input: {
    description: 'The operator.',
    fields: (t) => ({ operatorId: t.id({ description: OPERATOR_DESCRIPTION }) }),
  },
  payload,
  authorize: (context, { operatorId }) => authorizeOnOperator(context, operatorId, requireCanEndSessions),
  run: (commit, { caller, services }, { operatorId }) =>
    services.access.sessions.endOthers(commit, caller, toOperatorId(caller, operatorId)),
});
