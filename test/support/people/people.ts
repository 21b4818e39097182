import assert from 'node:assert/strict';
import { type RestAnswer, type RestClient, restClient } from '../clients/rest.ts';
import type { Switchboard } from '../processes/switchboard.ts';

let people = 0;

/** Fields of an operator who differs from every other in this run. */
export function newPerson(fields: Record<string, unknown> = {}): Record<string, unknown> {
  people += 1;
  return { name: `Person ${people}`, email: `person${people}@example.com`, ...fields };
}

/** Creates an operator and answers with what the service says it is. */
export async function addOperator(rest: RestClient, fields: Record<string, unknown> = {}): Promise<RestAnswer['body']> {
  const answer = await rest.post('/operator', newPerson(fields));
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data;
}

/** Creates a website, group or skill and answers with its number. */
export async function add(rest: RestClient, resource: string, fields: Record<string, unknown>): Promise<number> {
  const answer = await rest.post(`/${resource}`, fields);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body.data.id;
}

/** The numbers of a list, all pages, in the order of the list. */
export async function idsOf(rest: RestClient, path: string): Promise<number[]> {
  const answer = await rest.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.pagination.count, answer.body.data.length, 'more than one page, or a wrong count');
  return answer.body.data.map((item: { id: number }) => item.id);
}

/** Another account on the same server, with its own write key. */
export async function otherAccount(switchboard: Switchboard): Promise<RestClient> {
  const args = ['account', 'create', '--name', 'Other', '--email', 'other@example.com'];
  return restClient(switchboard.url, keyIn(await switchboard.command(args, 'a long enough password\n')));
}

/** A key of the first account that may only read. */
export async function readKey(switchboard: Switchboard): Promise<string> {
  return keyIn(await switchboard.command(['key', 'create', '--name', 'reader', '--access', 'read', '--account', '1']));
}

function keyIn({ stdout, stderr }: { stdout: string; stderr: string }): string {
  const key = stdout.match(/^\s*(sb_\S+)$/m)?.[1];
  assert.ok(key, stdout + stderr);
  return key;
}
