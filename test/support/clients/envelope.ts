import assert from 'node:assert/strict';
import type { RestResponse } from './rest.ts';

const CLIENT_STATUSES_REPORTED_AS_ERROR = new Set([403, 429]);

/** Every response has the envelope: one of the three statuses, and a message if the request failed. */
export function assertEnvelope({ status, body }: { status: number; body: RestResponse['body'] }): void {
  assert.equal(typeof body, 'object', `status ${status} without the envelope`);
  const { meta } = body;
  if (status < 400) {
    assert.equal(meta.status, 'success');
    return;
  }
  assert.equal(
    meta.status,
    status >= 500 || CLIENT_STATUSES_REPORTED_AS_ERROR.has(status) ? 'error' : 'fail',
    JSON.stringify(meta),
  );
  assert.equal(typeof meta.message, 'string');
  assert.equal(body.data, undefined);
}

/** An error envelope with this status and message. */
export function assertError(
  response: { status: number; body: RestResponse['body'] },
  status: number,
  message?: string | RegExp,
): void {
  assert.equal(response.status, status, JSON.stringify(response.body));
  assertEnvelope(response);
  if (typeof message === 'string') assert.equal(response.body.meta.message, message);
  else if (message) assert.match(response.body.meta.message, message);
}

/** An error about the value of one field. */
export function assertInvalidField(response: { status: number; body: RestResponse['body'] }, field: string): void {
  assertError(response, 400, `Value of field '${field}' is not valid.`);
  assert.equal(response.body.meta.errors[0].field, field);
}

export function assertOk(response: { status: number; body: RestResponse['body'] }, status = 200): void {
  assert.equal(response.status, status, JSON.stringify(response.body));
  assertEnvelope(response);
}
