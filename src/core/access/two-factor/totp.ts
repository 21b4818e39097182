import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 20;
const STEP_MS = 30_000;
const DIGITS = 6;
/** Clocks of phones differ, and a code is typed a moment after it was read: the neighbouring steps are accepted too. */
const WINDOW = [-1, 0, 1] as const;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32_BITS = 5;
const ISSUER = 'Switchboard';

/** Generates the secret that the service and the authenticator app share, in base 32. */
export function generateTotpSecret(): string {
  return encodeBase32(randomBytes(SECRET_BYTES));
}

/** Computes the code of a time step (RFC 6238, with HMAC-SHA-1 as authenticator apps expect). */
export function computeTotp(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', decodeBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

export function toTotpStep(time: number): number {
  return Math.floor(time / STEP_MS);
}

/**
 * Returns the time step of a code: the current one or a neighbour, and later than the last one that was used. Undefined
 * if the code is wrong.
 */
export function findTotpStep(
  secret: string,
  code: string,
  { now, lastStep }: { readonly now: number; readonly lastStep: number | null },
): number | undefined {
  const current = toTotpStep(now);
  return WINDOW.map((offset) => current + offset)
    .filter((step) => isSameCode(computeTotp(secret, step), code)) // all of them: the time says nothing about the code
    .find((step) => step > (lastStep ?? -1));
}

/** The address that authenticator apps read from a QR code. */
export function buildTotpUri(secret: string, email: string): string {
  const label = `${ISSUER}:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${secret}&issuer=${ISSUER}&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}

function isSameCode(expected: string, code: string): boolean {
  const [first, second] = [Buffer.from(expected), Buffer.from(code)];
  return first.length === second.length && timingSafeEqual(first, second);
}

function encodeBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const groups = bits.match(new RegExp(`.{1,${BASE32_BITS}}`, 'g')) ?? [];
  return groups.map((group) => BASE32[Number.parseInt(group.padEnd(BASE32_BITS, '0'), 2)]).join('');
}

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (character) => BASE32.indexOf(character).toString(2).padStart(BASE32_BITS, '0')).join(
    '',
  );
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
