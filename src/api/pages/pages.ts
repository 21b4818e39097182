import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createBaseUrlReader } from '../http/base-url.ts';
import { registerAssets, sendMissingBuild } from './assets.ts';
import { registerPageFaults } from './page-faults.ts';
import { sendAsset } from './send-asset.ts';
import { WebBuild } from './web-build.ts';

export interface PagesOptions {
  /** The public address of the service, if configured. */
  readonly publicUrl: string | undefined;
  /** The built pages. Defaults to `dist/web`. */
  readonly buildFolder?: string | undefined;
}

/** The browser asks for a new version every time. */
const REVALIDATE = 'no-cache';
const HTML = 'text/html; charset=utf-8';

/** Files of the same origin only, and nothing inline. */
const STRICT_POLICY: Policy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'frame-ancestors': "'none'",
  'base-uri': "'none'",
  // The scripts submit the forms. If one fails to load, the browser must not send the password.
  'form-action': "'none'",
};
type Policy = Readonly<Record<string, string>>;

/** The widget and the web pages. */
export function registerPages(app: FastifyInstance, { publicUrl, buildFolder }: PagesOptions): void {
  const build = new WebBuild(buildFolder);
  if (build.manifest === undefined) app.log.warn('The web pages are not built. Run `node scripts/prepare.mjs`.');
  registerAssets(app, build);
  registerPageFaults(app);
  const getBaseUrl = createBaseUrlReader(publicUrl);

  const registerPage = (path: string, entry: string, render?: (request: FastifyRequest) => RenderedPage) => {
    app.get(path, (request, reply) => {
      const page = build.getEntry(entry);
      if (page === undefined) return sendMissingBuild(reply);
      const { values, policy } = render?.(request) ?? {};
      setPageHeaders(reply, { ...STRICT_POLICY, ...policy });
      if (values === undefined) return sendAsset(request, reply, page);
      return reply.type(HTML).send(fillIn(String(page.content), values));
    });
  };
  // They lead to where the operator works.
  registerPage('/', 'start.html');
  registerPage('/console', 'start.html');
  registerPage('/console/*', 'start.html');
  registerPage('/login', 'login.html');
  registerPage('/password', 'password.html');
  registerPage('/account', 'account.html');
  const renderDesk = (request: FastifyRequest) => ({
    policy: {
      'connect-src': allowSockets(getBaseUrl(request)),
      'img-src': "'self' data: blob:", // pictures that are about to be sent
    },
  });
  registerPage('/desk', 'desk.html', renderDesk);
  // The page reads the rest of the address.
  registerPage('/desk/*', 'desk.html', renderDesk);
  registerPage('/developers', 'landing.html', (request) => ({ values: { address: getBaseUrl(request) } }));
  registerPage('/docs', 'api.html');
  registerPage('/docs/migration', 'migration.html');
  registerPage('/docs/migration/meter', 'meter.html');
  registerPage('/graphiql', 'graphiql.html', (request) => {
    // Dialogs of GraphiQL add a style element.
    const nonce = randomBytes(16).toString('base64');
    const connections = allowSockets(getBaseUrl(request));
    return { values: { nonce }, policy: { 'style-src': `'self' 'nonce-${nonce}'`, 'connect-src': connections } };
  });

  for (const file of ['favicon.svg', 'openapi.json']) {
    app.get(`/${file}`, (request, reply) => {
      const asset = build.getEntry(file);
      if (asset === undefined) return sendMissingBuild(reply);
      return sendAsset(request, reply.header('cache-control', REVALIDATE), asset);
    });
  }
}

interface RenderedPage {
  /** Values of placeholders that differ from request to request. */
  readonly values?: Readonly<Record<string, string>>;
  /** Where the page's policy differs from the strict one. */
  readonly policy?: Policy;
}

function fillIn(html: string, values: Readonly<Record<string, string>>): string {
  return html.replaceAll(/\{\{(\w+)\}\}/g, (placeholder, name) => values[name] ?? placeholder);
}

function setPageHeaders(reply: FastifyReply, policy: Policy): void {
  reply.headers({
    'cache-control': REVALIDATE,
    'content-security-policy': Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
}

/** In some browsers 'self' does not cover WebSockets of the same origin. */
function allowSockets(baseUrl: string): string {
  return `'self' ${baseUrl.replace(/^http(s?:\/\/[^/]+).*$/, 'ws$1')}`;
}
