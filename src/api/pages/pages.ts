import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { createBaseUrlReader } from '../http/base-url.ts';
import { registerAssets } from './assets.ts';
import { registerGraphiql } from './graphiql.ts';
import { registerMeter } from './meter.ts';
import { createOpenApiDocument } from './openapi.ts';
import { FileServer, StaticFile, sendFile } from './static-file.ts';
import { WebBuild } from './web-build.ts';

export interface PagesOptions {
  /** The public address of the service, if configured. */
  readonly publicUrl: string | undefined;
  /** The built pages. Defaults to `dist/web`. */
  readonly buildFolder?: string | undefined;
}

const WEB_FOLDER = new URL('../../../web/', import.meta.url);
/** One for each address at which clients reach the service. */
const MAX_LANDING_PAGES = 20;

/** Registers the widget and the web pages: landing page, API documentation, migration guide, GraphiQL. */
export function registerPages(app: FastifyInstance, { publicUrl, buildFolder }: PagesOptions): void {
  const build = new WebBuild(buildFolder);
  if (build.manifest === undefined) app.log.warn('The web pages are not built. Run `node scripts/prepare.mjs`.');
  registerAssets(app, build);
  const files = new FileServer(app);
  files.serve({
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
  registerGraphiql(files, getBaseUrl);
  registerMeter(files);

  const landingPage = readFileSync(new URL('index.html', WEB_FOLDER), 'utf8');
  const landingPages = new LRUCache<string, StaticFile>({ max: MAX_LANDING_PAGES });
  app.get('/', (request, reply) => {
    const address = getBaseUrl(request);
    const page = landingPages.get(address) ?? files.createPage(landingPage.replaceAll('{{address}}', address));
    landingPages.set(address, page);
    return sendFile(request, reply, page);
  });

  let openApiFile: StaticFile | undefined;
  app.get('/openapi.json', (request, reply) => {
    openApiFile ??= new StaticFile('json', JSON.stringify(createOpenApiDocument()));
    return sendFile(request, reply, openApiFile);
  });
}
