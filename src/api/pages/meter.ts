import type { FastifyInstance } from 'fastify';
import { loadFile, type StaticFile, sendFile } from './static-file.ts';

const WEB = new URL('../../../web/meter/', import.meta.url);

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  // The form is sent by the page's own script: should that fail, the password goes nowhere.
  "form-action 'none'",
].join('; ');

/** The migration meter for people: a login, and what each key still uses of the REST interface. */
export function registerMeter(app: FastifyInstance): void {
  const files: Readonly<Record<string, StaticFile>> = {
    '/docs/migration/meter': loadFile(new URL('index.html', WEB)),
    '/docs/migration/meter/page.css': loadFile(new URL('page.css', WEB)),
    '/docs/migration/meter/page.js': loadFile(new URL('page.js', WEB)),
  };
  for (const [path, file] of Object.entries(files)) {
    app.get(path, (request, reply) => sendFile(request, reply, file, POLICY));
  }
}
