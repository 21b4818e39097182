import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type RestClient, type RestResponse, restClient } from '../support/clients/rest.ts';
import { ADMIN, type StartOptions, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of any response
export type Json = any;

/** The service under test: the one at CONFORMANCE_URL, or one that the suite starts. */
export interface Target {
  readonly url: string;
  readonly key: string;
  readonly email: string | undefined;
  readonly password: string | undefined;
  readonly rest: RestClient;
  /** Whether the service is at CONFORMANCE_URL: it may hold real data, which the tests must not change. */
  readonly isExternal: boolean;
  /** Why tests that log in with `email` and `password` cannot run, or false. */
  readonly loginSkipReason: string | false;
  /** A unique text that starts with `runPrefix`. */
  unique(name: string): string;
  readonly runPrefix: string;
  /** Creates a resource that `close` deletes. */
  create(resource: 'operator' | 'group' | 'skill' | 'website', fields: object): Promise<Json>;
  /** An operator without websites, so that no existing website gets another operator. */
  operator(fields?: object): Promise<Json>;
  group(fields?: object): Promise<Json>;
  skill(fields?: object): Promise<Json>;
  website(fields?: object): Promise<Json>;
  /** The access token of `email`; requested once, because logins are rate-limited. */
  token(): Promise<string>;
  close(): Promise<void>;
}

export const PASSWORD = 'a walk along the river Aare';

export async function openTarget(options: StartOptions = {}): Promise<Target> {
  const { url, key, email, password, stop } = await resolveTarget(options);
  const rest = restClient(url, key);
  const runPrefix = `conformance-${randomBytes(5).toString('hex')}`;
  const created: { resource: string; id: number }[] = [];
  let count = 0;
  const unique = (name: string) => `${runPrefix}-${++count}-${name}`;

  const create: Target['create'] = async (resource, fields) => {
    const { status, body } = await rest.post(`/${resource}`, fields);
    assert.equal(status, 201, `a ${resource} could not be created for the test: ${JSON.stringify(body)}`);
    created.push({ resource, id: body.data.id });
    return body.data;
  };
  const remove = async ({ resource, id }: { resource: string; id: number }) => {
    const { status, body } = await rest.delete(`/${resource}/${id}`);
    assert.ok(status === 200 || status === 404, `${resource} ${id} could not be deleted: ${JSON.stringify(body)}`);
  };

  let token: Promise<string> | undefined;
  return {
    url,
    key,
    email,
    password,
    rest,
    runPrefix,
    unique,
    create,
    isExternal: stop === undefined,
    loginSkipReason: email === undefined && 'this test logs in: pass --email and --password',
    operator: (fields = {}) =>
      create('operator', {
        name: unique('operator'),
        email: `${unique('operator')}@example.com`,
        website_list: [],
        ...fields,
      }),
    group: (fields = {}) => create('group', { name: unique('group'), ...fields }),
    skill: (fields = {}) => create('skill', { name: unique('skill'), ...fields }),
    website: (fields = {}) =>
      create('website', { label: unique('website'), url: 'https://www.example.com', ...fields }),
    token: () => {
      token ??= logIn(url, { username: email ?? '', password: password ?? '', grant_type: 'password' }).then(
        ({ status, body }) => {
          assert.equal(status, 200, `the login with ${email} failed: ${JSON.stringify(body)}`);
          return body.access_token;
        },
      );
      return token;
    },
    close: async () => {
      // Operators first, because they refer to the others. Then newest first: children before their parents.
      const operators = created.filter(({ resource }) => resource === 'operator');
      const others = created.filter(({ resource }) => resource !== 'operator').reverse();
      try {
        for (const item of [...operators, ...others]) await remove(item);
      } finally {
        await stop?.();
      }
    },
  };
}

async function resolveTarget(options: StartOptions) {
  const { CONFORMANCE_URL: url, CONFORMANCE_KEY: key, CONFORMANCE_EMAIL, CONFORMANCE_PASSWORD } = process.env;
  if (url) {
    const login = { email: CONFORMANCE_EMAIL || undefined, password: CONFORMANCE_PASSWORD || undefined };
    return { url: url.replace(/\/+$/, ''), key: key ?? '', ...login, stop: undefined };
  }
  const switchboard = await acquireSwitchboard(options);
  return { url: switchboard.url, key: switchboard.key, ...ADMIN, stop: () => switchboard.stop() };
}

interface SharedSwitchboard {
  readonly starting: Promise<Switchboard>;
  users: number;
}

const shared = new Map<boolean, SharedSwitchboard>();

/** One service for all suites of this process: they tolerate the data of others. The last suite stops it. */
async function acquireSwitchboard({ demo = false, clock }: StartOptions): Promise<Switchboard> {
  if (clock) return startSwitchboard({ demo, clock }); // other suites cannot share its clock
  const entry: SharedSwitchboard = shared.get(demo) ?? { starting: startSwitchboard({ demo }), users: 0 };
  shared.set(demo, entry);
  entry.users += 1;
  const switchboard = await entry.starting;
  const stop = async () => {
    entry.users -= 1;
    if (entry.users > 0) return;
    shared.delete(demo);
    await switchboard.stop();
  };
  return { ...switchboard, stop };
}

/** Sends a token request with these form fields. */
export function logIn(url: string, fields: Record<string, string>): Promise<RestResponse> {
  return call(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) });
}

/** Sends any request, without a key. */
export async function call(url: string, init: RequestInit = {}): Promise<RestResponse> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** The ids of a list response, newest first. */
export function idsOf(response: RestResponse): number[] {
  assert.equal(response.status, 200, JSON.stringify(response.body));
  return response.body.data.map((item: Json) => item.id);
}

export function assertFail(response: RestResponse, status: number, message: string | RegExp): void {
  assert.equal(response.status, status, JSON.stringify(response.body));
  assert.equal(response.body.meta.status, 'fail');
  if (typeof message === 'string') assert.equal(response.body.meta.message, message);
  else assert.match(response.body.meta.message, message);
}
