import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { schema } from '../../../src/api/graphql/schema.ts';
import { type GraphqlClient, graphqlClient, keyClient, logIn } from '../../support/clients/graphql.ts';
import { restClient } from '../../support/clients/rest.ts';
import { openSocket } from '../../support/clients/subscriptions.ts';
import { createOperator } from '../../support/fixtures/resources.ts';
import { computeCurrentTotp, setUpTwoFactor, startTwoFactor } from '../../support/fixtures/two-factor.ts';
import { type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { waitUntil } from '../../support/waiting/wait.ts';

const PASSWORD = 'a password of this test';

const REQUIRED = /Two-factor authentication is required for your role/;

suite('an account that requires two-factor authentication of a role', () => {
  let switchboard: Switchboard;
  let key: ReturnType<typeof keyClient>;
  before(async () => {
    switchboard = await startSwitchboard();
    key = keyClient(switchboard.url, switchboard.key);
  });
  after(() => switchboard.stop());

  async function createMember(roles = ['operator']) {
    const rest = restClient(switchboard.url, switchboard.key);
    const { id, email, sso_key } = await createOperator(rest, { password: PASSWORD, roles });
    return { id: String(id), email, ssoKey: sso_key as string };
  }

  async function logInAs({ email }: { readonly email: string }): Promise<GraphqlClient> {
    return graphqlClient(switchboard.url, await logIn(switchboard.url, { email, password: PASSWORD }));
  }

  async function logInWithKey({ ssoKey }: { readonly ssoKey: string }): Promise<GraphqlClient> {
    const link = await fetch(`${switchboard.url}/admin/login?key=${ssoKey}`, { redirect: 'manual' });
    const [, code = ''] = (link.headers.get('location') ?? '').match(/code=([^&]*)/) ?? [];
    const response = await fetch(`${switchboard.url}/admin/session`, {
      method: 'POST',
      body: new URLSearchParams({ code }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    return graphqlClient(switchboard.url, token);
  }

  async function require(roles: readonly string[]): Promise<void> {
    const { data } = await key.run(
      'mutation($roles:[Role!]){accountUpdate(input:{twoFactorRequired:$roles}){account{twoFactorRequired} userErrors{code}}}',
      { roles },
    );
    assert.deepEqual(data.accountUpdate, { account: { twoFactorRequired: roles }, userErrors: [] });
  }

  const isRestricted = async ({ run }: Pick<GraphqlClient, 'run'>) => {
    const { errors } = await run('{viewer{id}}');
    assert.ok(
      errors.every(({ message }) => REQUIRED.test(message)),
      JSON.stringify(errors),
    );
    return errors.length > 0;
  };

  test('restricts open tokens and sockets until it is set up; not single sign-on, keys and other roles', async (t) => {
    const member = await createMember();
    const [first, second] = [await logInAs(member), await logInAs(member)];
    const bySso = await logInWithKey(member);
    const manager = await logInAs(await createMember(['manager']));
    const socket = openSocket(switchboard.url, first.token);
    t.after(() => socket.end());
    await socket.subscribe('subscription{operatorLive{id}}');
    await require(['OPERATOR']);
    t.after(() => require([]));
    assert.equal((await socket.closed).code, 4411, 'permissions have changed');
    await waitUntil('both tokens are restricted', async () => (await isRestricted(first)) && isRestricted(second));
    for (const other of [bySso, manager]) assert.equal(await isRestricted(other), false);
    assert.deepEqual((await key.run('{account{id}}')).errors, []);

    const { recoveryCodes, secret } = await setUpTwoFactor(first);
    assert.equal(recoveryCodes.length, 10);
    assert.equal(await isRestricted(first), false);
    await waitUntil('the other token is revoked', async () => (await second.run('{viewer{id}}')).status === 401);
    assert.equal(await isRestricted(bySso), false);
    const { data } = await first.run('{viewer{twoFactor{isEnabled isRequired enabledAt recoveryCodesLeft}}}');
    const { enabledAt, ...state } = data.viewer.twoFactor;
    assert.deepEqual(state, { isEnabled: true, isRequired: true, recoveryCodesLeft: 10 });
    assert.ok(Math.abs(Date.parse(enabledAt) - Date.now()) < 600_000, enabledAt);

    const disable =
      'mutation($input:TwoFactorDisableInput!){twoFactorDisable(input:$input){operator{id} userErrors{code}}}';
    const input = { currentPassword: PASSWORD, code: computeCurrentTotp(secret, 1) };
    assert.deepEqual((await first.run(disable, { input })).data.twoFactorDisable.userErrors, [{ code: 'STATE' }]);
    await require([]);
    const disabled = await first.run(disable, { input });
    assert.deepEqual(disabled.data.twoFactorDisable, { operator: { id: member.id }, userErrors: [] });
  });

  test('refuses every operation to restricted callers, over HTTP and WebSocket, and files', async (t) => {
    const member = await logInAs(await createMember());
    await require(['OPERATOR']);
    t.after(() => require([]));
    await waitUntil('the token is restricted', () => isRestricted(member));
    const socket = openSocket(switchboard.url, member.token);
    t.after(() => socket.end());
    const run = { http: member.run, socket: socket.run };
    for (const [operation, type] of [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
      ['subscription', schema.getSubscriptionType()],
    ] as const) {
      for (const field of Object.values(type?.getFields() ?? {})) {
        if (['twoFactorStart', 'twoFactorConfirm'].includes(field.name)) continue;
        for (const send of operation === 'subscription' ? [run.socket] : [run.http, run.socket]) {
          const { data, errors } = await send(`${operation}{${selectField(field)}}`);
          const outcome = errors?.map((error: { extensions: object; message: string }) => error.extensions);
          assert.deepEqual(outcome, [{ code: 'FORBIDDEN' }], `${field.name}: ${JSON.stringify({ data, errors })}`);
          assert.match(errors[0].message, REQUIRED);
        }
      }
    }
    const schemaQuery = await member.run('{__typename __schema{queryType{name}}}');
    assert.deepEqual(schemaQuery.data, { __typename: 'Query', __schema: { queryType: { name: 'Query' } } });
    const form = new FormData();
    form.append('conversationId', '1');
    form.append('file', new Blob(['text']), 'a.txt');
    const upload = await fetch(`${switchboard.url}/attachment`, {
      method: 'POST',
      headers: member.headers,
      body: form,
    });
    assert.equal(upload.status, 403);
    assert.match(((await upload.json()) as { errors: { message: string }[] }).errors[0]?.message ?? '', REQUIRED);
    await startTwoFactor(member);
  });

  test('a repeated request with an idempotency key shows secret and codes only once', async () => {
    const member = await logInAs(await createMember());
    const start = `mutation{twoFactorStart(input:{currentPassword:"${PASSWORD}"}){secret uri userErrors{code}}}`;
    const headers = { 'Idempotency-Key': 'start' };
    const { secret, uri } = (await member.run(start, {}, headers)).data.twoFactorStart;
    assert.ok(uri.includes(`secret=${secret}&`), uri);
    const again = await member.run(start, {}, headers);
    assert.deepEqual(again.data.twoFactorStart, { secret: null, uri: null, userErrors: [] });
    const confirm = `mutation{twoFactorConfirm(input:{code:"${computeCurrentTotp(secret)}"}){recoveryCodes}}`;
    const confirmed = await member.run(confirm, {}, { 'Idempotency-Key': 'confirm' });
    assert.equal(confirmed.data.twoFactorConfirm.recoveryCodes.length, 10);
    const confirmedAgain = await member.run(confirm, {}, { 'Idempotency-Key': 'confirm' });
    assert.deepEqual(confirmedAgain.data, { twoFactorConfirm: { recoveryCodes: null } });
    const rows = await switchboard.storedData.dumpRows();
    for (const hidden of [secret, ...confirmed.data.twoFactorConfirm.recoveryCodes])
      assert.ok(!rows.includes(hidden), 'nothing of it is stored in the clear');
  });

  test('an admin resets it for another operator, whose tokens end', async () => {
    const member = await createMember();
    const open = await logInAs(member);
    await setUpTwoFactor(open, PASSWORD);
    const reset = 'mutation($id:ID!){twoFactorReset(input:{id:$id}){operator{twoFactor{isEnabled}} userErrors{code}}}';
    const { data } = await key.run(reset, { id: member.id });
    assert.deepEqual(data.twoFactorReset, { operator: { twoFactor: { isEnabled: false } }, userErrors: [] });
    await waitUntil('the token is revoked', async () => (await open.run('{viewer{id}}')).status === 401);
    const repeated = await key.run(reset, { id: member.id });
    assert.deepEqual(repeated.data.twoFactorReset, { operator: null, userErrors: [{ code: 'STATE' }] });
    await logInAs(member);
  });
});

/** A root field with all its required arguments. */
function selectField(field: GraphQLField<unknown, unknown>): string {
  const args = field.args.filter(isRequired).map(({ name, type }) => `${name}: ${createValue(type)}`);
  return `${field.name}${args.length > 0 ? `(${args})` : ''}${isCompositeType(getNamedType(field.type)) ? '{__typename}' : ''}`;
}

function isRequired({
  type,
  defaultValue,
}: {
  readonly type: GraphQLInputType;
  readonly defaultValue?: unknown;
}): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

/** The text of a value that the type accepts. */
function createValue(type: GraphQLInputType): string {
  if (isNonNullType(type)) return createValue(type.ofType);
  if (isListType(type)) return `[${createValue(type.ofType)}]`;
  if (isEnumType(type)) return type.getValues()[0]?.name ?? '';
  if (!isInputObjectType(type))
    return type.name === 'Boolean'
      ? 'true'
      : type.name === 'DateTime'
        ? `"2026-01-01T00:00:00Z"`
        : type.name === 'String'
          ? '"x"'
          : '1';
  const fields = Object.values(type.getFields()).filter(isRequired);
  return `{${fields.map((field) => `${field.name}: ${createValue(field.type)}`)}}`;
}
