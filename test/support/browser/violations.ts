import type { Page } from 'playwright-core';

export interface ViolationOptions {
  /** The hosts that the page may talk to, with their ports. */
  readonly hosts: readonly string[];
  /** Messages of errors that the page throws on purpose. */
  readonly expectedErrors?: RegExp;
}

/** Records requests to other hosts, uncaught errors and violations of the content security policy into a list. */
export function recordViolations(page: Page, { hosts, expectedErrors }: ViolationOptions): string[] {
  const violations: string[] = [];
  const checkHost = (url: string) => {
    if (!/^(data|blob):/.test(url) && !hosts.includes(new URL(url).host)) {
      violations.push(`request to another host: ${url}`);
    }
  };
  page.on('request', (request) => checkHost(request.url()));
  page.on('websocket', (socket) => checkHost(socket.url()));
  page.on('pageerror', (error) => {
    if (!expectedErrors?.test(error.message)) violations.push(error.message);
  });
  page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) violations.push(message.text());
  });
  return violations;
}
