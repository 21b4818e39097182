import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { registerGraphiql } from './graphiql.ts';
import { registerMeter } from './meter.ts';
import { openApiDocument } from './openapi.ts';
import { type StaticFile, sendFile, serveFiles, staticFile } from './static-file.ts';

export interface PagesParts {
  /** The address that users see, where it is configured. */
  readonly publicUrl: string | undefined;
}

const WEB = new URL('../../../web/', import.meta.url);

/** What a person can look at: what this is, how to call it, and how to leave the old interface. */
export function registerPages(app: FastifyInstance, { publicUrl }: PagesParts): void {
  serveFiles(app, {
    '/favicon.svg': new URL('favicon.svg', WEB),
    '/style.css': new URL('style.css', WEB),
    '/docs': new URL('docs.html', WEB),
    '/docs/docs.css': new URL('docs.css', WEB),
    '/docs/docs.js': new URL('docs.js', WEB),
    '/docs/migration': new URL('migration.html', WEB),
    '/docs/swagger-ui.css': import.meta.resolve('swagger-ui-dist/swagger-ui.css'),
    '/docs/swagger-ui-bundle.js': import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js'),
  });

  const address = (request: FastifyRequest) => publicUrl?.replace(/\/$/, '') ?? addressOf(request);
  registerGraphiql(app, address);
  registerMeter(app);

  const landing = readFileSync(new URL('index.html', WEB), 'utf8');
  app.get('/', (request, reply) => {
    const page = landing.replaceAll('{{address}}', address(request));
    return sendFile(request, reply, staticFile('html', page));
  });

  let document: StaticFile | undefined;
  app.get('/openapi.json', (request, reply) => {
    document ??= staticFile('json', JSON.stringify(openApiDocument()));
    return sendFile(request, reply, document);
  });
}

/** Where the request came in. The host is the caller's word: what could be more than a host is not repeated. */
function addressOf({ protocol, host }: FastifyRequest): string {
  return /^[\w.:[\]-]+$/.test(host) ? `${protocol}://${host}` : 'http://127.0.0.1:8080';
}
