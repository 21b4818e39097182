import assert from 'node:assert/strict';
import type { RestAnswer } from './rest.ts';

const SERVICE_SIDE = new Set([403, 429]);

/** Any answer is the envelope: a status of the three, and a message where something went wrong. */
export function assertEnvelope({ status, body }: { status: number; body: RestAnswer['body'] }): void {
  assert.equal(typeof body, 'object', `status ${status} without the envelope`);
  const { meta } = body;
  if (status < 400) {
    assert.equal(meta.status, 'success');
    return;
  }
  assert.equal(meta.status, status >= 500 || SERVICE_SIDE.has(status) ? 'error' : 'fail', JSON.stringify(meta));
  assert.equal(typeof meta.message, 'string');
  assert.equal(body.data, undefined);
}

/** The envelope of a refusal with this status and this text. */
export function assertRefused(
  answer: { status: number; body: RestAnswer['body'] },
  status: number,
  message?: string | RegExp,
): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assertEnvelope(answer);
  if (typeof message === 'string') assert.equal(answer.body.meta.message, message);
  else if (message) assert.match(answer.body.meta.message, message);
}

/** A refusal of one field's value. */
export function assertBadValue(answer: { status: number; body: RestAnswer['body'] }, field: string): void {
  assertRefused(answer, 400, `Value of field '${field}' is not valid.`);
  assert.equal(answer.body.meta.errors[0].field, field);
}

export function assertOk(answer: { status: number; body: RestAnswer['body'] }, status = 200): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assertEnvelope(answer);
}
