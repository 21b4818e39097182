import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { createBaseUrlReader } from '../http/base-url.ts';
import { registerGraphiql } from './graphiql.ts';
import { registerMeter } from './meter.ts';
import { createOpenApiDocument } from './openapi.ts';
import { createStaticFile, type StaticFile, sendFile, serveFiles } from './static-file.ts';

export interface PagesOptions {
  /** The public address of the service, if configured. */
  readonly publicUrl: string | undefined;
}

const WEB_FOLDER = new URL('../../../web/', import.meta.url);

/** Registers the web pages: landing page, API documentation, migration guide, GraphiQL. */
export function registerPages(app: FastifyInstance, { publicUrl }: PagesOptions): void {
  serveFiles(app, {
    '/favicon.svg': new URL('favicon.svg', WEB_FOLDER),
    '/style.css': new URL('style.css', WEB_FOLDER),
    '/docs': new URL('docs.html', WEB_FOLDER),
    '/docs/docs.css': new URL('docs.css', WEB_FOLDER),
    '/docs/docs.js': new URL('docs.js', WEB_FOLDER),
    '/docs/migration': new URL('migration.html', WEB_FOLDER),
    '/docs/swagger-ui.css': import.meta.resolve('@fastify/swagger-ui/static/swagger-ui.css'),
    '/docs/swagger-ui-bundle.js': import.meta.resolve('@fastify/swagger-ui/static/swagger-ui-bundle.js'),
  });

  const getBaseUrl = createBaseUrlReader(publicUrl);
  registerGraphiql(app, getBaseUrl);
  registerMeter(app);

  const landingPage = readFileSync(new URL('index.html', WEB_FOLDER), 'utf8');
  app.get('/', (request, reply) => {
    const page = landingPage.replaceAll('{{address}}', getBaseUrl(request));
    return sendFile(request, reply, createStaticFile('html', page));
  });

  let openApiFile: StaticFile | undefined;
  app.get('/openapi.json', (request, reply) => {
    openApiFile ??= createStaticFile('json', JSON.stringify(createOpenApiDocument()));
    return sendFile(request, reply, openApiFile);
  });
}
