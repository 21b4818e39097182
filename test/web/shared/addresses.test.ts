import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogInAddress, findReturnPath } from '../../../web/shared/page/addresses.ts';

const OWN: Readonly<Record<string, string>> = {
  '/desk': '/desk',
  '/desk/': '/desk/',
  '/desk/conversation/7?tab=notes#last': '/desk/conversation/7?tab=notes#last',
  '/docs/migration/meter': '/docs/migration/meter',
  '/account?name=%C3%A9': '/account?name=%C3%A9',
  '/desk/../console': '/console',
  '/desk?next=//evil.example': '/desk?next=//evil.example',
  '/desk//evil.example': '/desk//evil.example',
};

const REFUSED = [
  null,
  '',
  'desk',
  '/',
  '/login',
  '/desktop',
  '/assets/x',
  '/oauth2/token',
  'https://evil.example/desk',
  'HTTPS:/desk',
  '//evil.example',
  '//evil.example/desk',
  '///evil.example/desk',
  '/\\evil.example',
  '/\\/desk',
  '\\\\evil.example/desk',
  '/desk\\..\\..\\evil',
  'javascript:alert(1)',
  'javascript:alert(1)//desk',
  'data:text/html,/desk',
  '\tjavascript:alert(1)',
  '/\t/evil.example/desk',
  '/\n/evil.example/desk',
  '/\r\n/evil.example',
  ' /desk',
  '/desk ',
  '/desk\u0000',
  '/desk\u007f',
  '/%2Fevil.example',
  '/%5Cevil.example',
  '%2F%2Fevil.example',
  '/desk/../../%2e%2e//evil.example',
  '/desk/%2e%2e/login',
  '/./desk/..//evil.example',
  '//own.invalid@evil.example/desk',
  '/.//desk',
];

describe('the page to which the log-in page returns', () => {
  for (const [to, path] of Object.entries(OWN)) {
    test(`is own: ${to}`, () => {
      assert.equal(findReturnPath(to), path);
      const { origin } = new URL(findReturnPath(to) ?? '', 'https://support.example');
      assert.equal(origin, 'https://support.example');
    });
  }

  for (const to of REFUSED) {
    test(`is not own: ${JSON.stringify(to)}`, () => assert.equal(findReturnPath(to), undefined));
  }
});

test('the address of the log-in page names the page to return to, if it is one', () => {
  const at = (path: string) => new URL(path, 'https://support.example');
  assert.equal(createLogInAddress(at('/desk/7?a=b#c')), '/login?to=%2Fdesk%2F7%3Fa%3Db%23c');
  assert.equal(createLogInAddress(at('/desk'), 'ended'), '/login?to=%2Fdesk&reason=ended');
  assert.equal(createLogInAddress(at('/')), '/login');
});
