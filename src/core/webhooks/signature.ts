import { createHmac } from 'node:crypto';

/** Builds the value of `X-Switchboard-Signature`: one signature per valid secret, newest first. */
export function buildSignatureHeader(secrets: readonly string[], timestamp: number, body: string): string {
  return secrets.map((secret) => `sha256=${sign(secret, timestamp, body)}`).join(',');
}

function sign(secret: string, timestamp: number, body: string): string {
  return createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
}
