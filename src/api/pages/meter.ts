import type { FastifyInstance } from 'fastify';
import { loginPagePolicy, serveFiles } from './static-file.ts';

const WEB = new URL('../../../web/meter/', import.meta.url);

const POLICY = loginPagePolicy("style-src 'self'", "img-src 'self'", "connect-src 'self'");

/** The migration meter for people: a login, and what each key still uses of the REST interface. */
export function registerMeter(app: FastifyInstance): void {
  const files = {
    '/docs/migration/meter': new URL('index.html', WEB),
    '/docs/migration/meter/page.css': new URL('page.css', WEB),
    '/docs/migration/meter/page.js': new URL('page.js', WEB),
  };
  serveFiles(app, files, () => POLICY);
}
