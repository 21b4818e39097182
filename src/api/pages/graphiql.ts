import type { FastifyInstance, FastifyRequest } from 'fastify';
import { loginPagePolicy, serveFiles } from './static-file.ts';

const WEB = new URL('../../../web/graphiql/', import.meta.url);

/** GraphiQL carries its fonts and some pictures inside its style sheet, and sets inline styles as it draws. */
const POLICY = loginPagePolicy("style-src 'self' 'unsafe-inline'", "img-src 'self' data:", 'font-src data:');

/** The page where people try queries. All of it comes from packages; only the files that it needs are served. */
export function registerGraphiql(app: FastifyInstance, addressOf: (request: FastifyRequest) => string): void {
  const files = {
    '/graphiql': new URL('index.html', WEB),
    '/graphiql/page.css': new URL('page.css', WEB),
    '/graphiql/page.js': new URL('page.js', WEB),
    '/graphiql/editor-storage.js': new URL('editor-storage.js', WEB),
    '/graphiql/session.js': new URL('session.js', WEB),
    '/graphiql/graphiql.min.css': import.meta.resolve('graphiql/style.css'),
    '/graphiql/graphiql.min.js': besideMain('graphiql', 'index.umd.js'),
    '/graphiql/react.js': besideMain('react', 'umd/react.production.min.js'),
    '/graphiql/react-dom.js': besideMain('react-dom', 'umd/react-dom.production.min.js'),
    '/graphiql/graphql-ws.js': besideMain('graphql-ws', '../umd/graphql-ws.min.js'),
  };
  serveFiles(app, files, (request) => {
    // Not every browser counts its own origin's sockets as 'self'.
    const sockets = addressOf(request).replace(/^http(s?:\/\/[^/]+).*$/, 'ws$1');
    return `${POLICY}; connect-src 'self' ${sockets}`;
  });
}

/** A file for browsers that the package has but does not export. */
function besideMain(name: string, path: string): URL {
  return new URL(path, import.meta.resolve(name));
}
