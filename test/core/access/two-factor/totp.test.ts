import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildTotpUri,
  computeTotp,
  findTotpStep,
  generateTotpSecret,
  toTotpStep,
} from '../../../../src/core/access/two-factor/totp.ts';

/** The secret of RFC 6238, appendix B: the ASCII text 12345678901234567890. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
/** The codes for SHA-1. The RFC has eight digits; six-digit codes are their end. */
const RFC_CODES = [
  { seconds: 59, code: '94287082' },
  { seconds: 1_111_111_109, code: '07081804' },
  { seconds: 1_111_111_111, code: '14050471' },
  { seconds: 1_234_567_890, code: '89005924' },
  { seconds: 2_000_000_000, code: '69279037' },
  { seconds: 20_000_000_000, code: '65353130' },
];

for (const { seconds, code } of RFC_CODES) {
  test(`RFC 6238: the code at ${seconds} s`, () => {
    assert.equal(computeTotp(RFC_SECRET, toTotpStep(seconds * 1000)), code.slice(-6));
  });
}

const now = 1_111_111_109_000;
const step = toTotpStep(now);
const codeAt = (offset: number) => computeTotp(RFC_SECRET, step + offset);

test('the codes of the neighbouring steps are accepted, earlier and later ones are not', () => {
  const found = [-2, -1, 0, 1, 2].map((offset) => findTotpStep(RFC_SECRET, codeAt(offset), { now, lastStep: null }));
  assert.deepEqual(found, [undefined, step - 1, step, step + 1, undefined]);
});

test('a code is not accepted again, nor one of an earlier step', () => {
  const find = (offset: number, lastStep: number) => findTotpStep(RFC_SECRET, codeAt(offset), { now, lastStep });
  assert.equal(find(0, step), undefined);
  assert.equal(find(-1, step), undefined);
  assert.equal(find(1, step), step + 1);
});

test('other texts are no code', () => {
  for (const code of ['', '0', codeAt(0).slice(1), `${codeAt(0)}0`, ` ${codeAt(0)}`, 'ééé', 'abcdef'])
    assert.equal(findTotpStep(RFC_SECRET, code, { now, lastStep: null }), undefined, code);
});

test('secrets have 160 random bits in base 32, and are never the same', () => {
  const secrets = Array.from({ length: 100 }, generateTotpSecret);
  for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.equal(new Set(secrets).size, secrets.length);
});

test('the address for the QR code', () => {
  assert.equal(
    buildTotpUri(RFC_SECRET, 'zoë+1@example.com'),
    `otpauth://totp/Switchboard:zo%C3%AB%2B1%40example.com?secret=${RFC_SECRET}&issuer=Switchboard&algorithm=SHA1&digits=6&period=30`,
  );
});
