import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type RestAnswer, type RestClient, restClient } from '../support/clients/rest.ts';
import { ADMIN, type StartOptions, type Switchboard, startSwitchboard } from '../support/processes/switchboard.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export type Json = any;

/** The service under test: the one at CONFORMANCE_URL, or one of our own. */
export interface Target {
  readonly url: string;
  readonly key: string;
  readonly email: string | undefined;
  readonly password: string | undefined;
  readonly rest: RestClient;
  /** Whether it is somebody else's: it may be full of data, and nothing of theirs may be changed. */
  readonly foreign: boolean;
  /** Why tests that log in with the given e-mail and password cannot run, or false. */
  readonly noLogin: string | false;
  /** A text that nobody else uses. Its beginning, `mark`, finds all that this run made. */
  unique(name: string): string;
  readonly mark: string;
  /** Makes a resource that `close` removes. */
  create(resource: 'operator' | 'group' | 'skill' | 'website', fields: object): Promise<Json>;
  /** An operator without websites, so that nobody's website counts it among its users. */
  operator(fields?: object): Promise<Json>;
  group(fields?: object): Promise<Json>;
  skill(fields?: object): Promise<Json>;
  website(fields?: object): Promise<Json>;
  /** The access token of the given e-mail and password; asked for once, because logins are limited. */
  token(): Promise<string>;
  close(): Promise<void>;
}

export const PASSWORD = 'a walk along the river Aare';

export async function openTarget(options: StartOptions = {}): Promise<Target> {
  const { url, key, email, password, stop } = await address(options);
  const rest = restClient(url, key);
  const mark = `conformance-${randomBytes(5).toString('hex')}`;
  const made: { resource: string; id: number }[] = [];
  let count = 0;
  const unique = (name: string) => `${mark}-${++count}-${name}`;

  const create: Target['create'] = async (resource, fields) => {
    const { status, body } = await rest.post(`/${resource}`, fields);
    assert.equal(status, 201, `a ${resource} could not be made for the test: ${JSON.stringify(body)}`);
    made.push({ resource, id: body.data.id });
    return body.data;
  };
  const remove = async ({ resource, id }: { resource: string; id: number }) => {
    const { status, body } = await rest.delete(`/${resource}/${id}`);
    assert.ok(status === 200 || status === 404, `${resource} ${id} is left behind: ${JSON.stringify(body)}`);
  };

  let token: Promise<string> | undefined;
  return {
    url,
    key,
    email,
    password,
    rest,
    mark,
    unique,
    create,
    foreign: stop === undefined,
    noLogin: email === undefined && 'this test logs in: give --email and --password',
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
          assert.equal(status, 200, `the login with ${email} was refused: ${JSON.stringify(body)}`);
          return body.access_token;
        },
      );
      return token;
    },
    close: async () => {
      // Operators first: they use the rest. Then the newest first: children before their parents.
      const operators = made.filter(({ resource }) => resource === 'operator');
      const others = made.filter(({ resource }) => resource !== 'operator').reverse();
      try {
        for (const thing of [...operators, ...others]) await remove(thing);
      } finally {
        await stop?.();
      }
    },
  };
}

async function address(options: StartOptions) {
  const { CONFORMANCE_URL: url, CONFORMANCE_KEY: key, CONFORMANCE_EMAIL, CONFORMANCE_PASSWORD } = process.env;
  if (url) {
    const login = { email: CONFORMANCE_EMAIL || undefined, password: CONFORMANCE_PASSWORD || undefined };
    return { url: url.replace(/\/+$/, ''), key: key ?? '', ...login, stop: undefined };
  }
  const own = await sharedSwitchboard(options);
  return { url: own.url, key: own.key, ...ADMIN, stop: () => own.stop() };
}

interface Shared {
  readonly starting: Promise<Switchboard>;
  users: number;
}

const shared = new Map<boolean, Shared>();

/** One service for all suites of this process: they are made for one that is in use by others. It ends with the last of them. */
async function sharedSwitchboard({ demo = false, clock }: StartOptions): Promise<Switchboard> {
  if (clock) return startSwitchboard({ demo, clock }); // no other suite can share its time
  const own: Shared = shared.get(demo) ?? { starting: startSwitchboard({ demo }), users: 0 };
  shared.set(demo, own);
  own.users += 1;
  const switchboard = await own.starting;
  const stop = async () => {
    own.users -= 1;
    if (own.users > 0) return;
    shared.delete(demo);
    await switchboard.stop();
  };
  return { ...switchboard, stop };
}

/** A token request with these fields of the form. */
export function logIn(url: string, fields: Record<string, string>): Promise<RestAnswer> {
  return call(`${url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(fields) });
}

/** Any request, without a key. */
export async function call(address: string, init: RequestInit = {}): Promise<RestAnswer> {
  const response = await fetch(address, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

/** The identifiers of a list, which comes newest first. */
export function idsOf(answer: RestAnswer): number[] {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.map((item: Json) => item.id);
}

export function assertFail(answer: RestAnswer, status: number, message: string | RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.meta.status, 'fail');
  if (typeof message === 'string') assert.equal(answer.body.meta.message, message);
  else assert.match(answer.body.meta.message, message);
}
