import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '../../support/browser/chromium.ts';
import { describeInBrowser } from '../../support/browser/describe-in-browser.ts';
import { logIn } from '../../support/clients/oauth.ts';
import { ADMIN, type Switchboard, startSwitchboard } from '../../support/processes/switchboard.ts';
import { WAIT_TIMEOUT_MS } from '../../support/waiting/wait.ts';

/** What Apollo Client and OpenTelemetry add to the headers of a request. */
const LIBRARY_HEADERS = {
  'Apollo-Require-Preflight': 'true',
  'X-Apollo-Operation-Name': 'Viewer',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  baggage: 'key=value',
};

describeInBrowser('a page of another origin in a browser', () => {
  let pages: Server;
  let origin: string;
  let switchboard: Switchboard;
  let token: string;
  let browser: Browser;
  let page: Page;

  before(async () => {
    pages = createServer((_request, response) => response.setHeader('content-type', 'text/html').end('<p>A page'));
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const { port } = pages.address() as AddressInfo;
    origin = `http://127.0.0.1:${port}`;
    switchboard = await startSwitchboard({ env: { SWITCHBOARD_CORS_ORIGINS: origin } });
    token = await logIn(switchboard.url, ADMIN);
    browser = await launchChromium();
    page = await browser.newPage();
    page.setDefaultTimeout(WAIT_TIMEOUT_MS);
  });
  after(async () => {
    await page?.context().close();
    await switchboard?.stop();
    pages?.close();
  });

  /** Runs a query in the page; returns the status and the request id, or the error of the browser. */
  function runQuery(): Promise<{ status?: number; requestId?: string | null; error?: string }> {
    const request = {
      url: `${switchboard.url}/graphql`,
      headers: { ...LIBRARY_HEADERS, Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    };
    return page.evaluate(async ({ url, headers }) => {
      try {
        const response = await fetch(url, { method: 'POST', headers, body: '{"query":"{viewer{id}}"}' });
        return { status: response.status, requestId: response.headers.get('x-request-id') };
      } catch (error) {
        return { error: String(error) };
      }
    }, request);
  }

  function openWebSocket(): Promise<string> {
    return page.evaluate(
      (url) =>
        new Promise((resolve) => {
          const socket = new WebSocket(url, 'graphql-transport-ws');
          socket.onopen = () => resolve('open');
          socket.onerror = () => resolve('error');
        }),
      `${switchboard.url.replace('http', 'ws')}/graphql`,
    );
  }

  test('may send the headers of its libraries and open WebSockets if the origin is configured', async () => {
    await page.goto(origin);
    const { status, requestId, error } = await runQuery();
    assert.equal(error, undefined);
    assert.equal(status, 200);
    assert.ok(requestId);
    assert.equal(await openWebSocket(), 'open');
  });

  test('is blocked if the origin is not configured', async () => {
    await page.goto(origin.replace('127.0.0.1', 'localhost'));
    assert.match((await runQuery()).error ?? '', /Failed to fetch/);
    assert.equal(await openWebSocket(), 'error');
  });
});
