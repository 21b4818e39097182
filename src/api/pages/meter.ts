import { buildLoginPagePolicy, type FileServer } from './static-file.ts';

const WEB_FOLDER = new URL('../../../web/meter/', import.meta.url);

const POLICY = buildLoginPagePolicy("style-src 'self'", "img-src 'self'", "connect-src 'self'");

/**
 * Serves the page of the migration meter. After login, it shows which parts of the REST interface each key still uses.
 */
export function registerMeter(files: FileServer): void {
  const paths = {
    '/docs/migration/meter': new URL('index.html', WEB_FOLDER),
    '/docs/migration/meter/page.css': new URL('page.css', WEB_FOLDER),
    '/docs/migration/meter/page.js': new URL('page.js', WEB_FOLDER),
  };
  files.serve(paths, () => POLICY);
}
