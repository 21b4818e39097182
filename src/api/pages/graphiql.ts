import type { FastifyRequest } from 'fastify';
import { buildLoginPagePolicy, type FileServer } from './static-file.ts';

const WEB_FOLDER = new URL('../../../web/graphiql/', import.meta.url);

/** GraphiQL embeds fonts and images in its style sheet, and sets inline styles at run time. */
const POLICY = buildLoginPagePolicy("style-src 'self' 'unsafe-inline'", "img-src 'self' data:", 'font-src data:');

/** The GraphQL playground. Serves only those package files that it needs. */
export function registerGraphiql(files: FileServer, getBaseUrl: (request: FastifyRequest) => string): void {
  const paths = {
    '/graphiql': new URL('index.html', WEB_FOLDER),
    '/graphiql/page.css': new URL('page.css', WEB_FOLDER),
    '/graphiql/page.js': new URL('page.js', WEB_FOLDER),
    '/graphiql/editor-storage.js': new URL('editor-storage.js', WEB_FOLDER),
    '/graphiql/session.js': new URL('session.js', WEB_FOLDER),
    '/graphiql/graphiql.min.css': import.meta.resolve('graphiql/style.css'),
    '/graphiql/graphiql.min.js': resolveInPackage('graphiql', 'index.umd.js'),
    '/graphiql/react.js': resolveInPackage('react', 'umd/react.production.min.js'),
    '/graphiql/react-dom.js': resolveInPackage('react-dom', 'umd/react-dom.production.min.js'),
    '/graphiql/graphql-ws.js': resolveInPackage('graphql-ws', '../umd/graphql-ws.min.js'),
  };
  files.serve(paths, (request) => {
    // In some browsers 'self' does not cover WebSockets of the same origin.
    const webSocketOrigin = getBaseUrl(request).replace(/^http(s?:\/\/[^/]+).*$/, 'ws$1');
    return `${POLICY}; connect-src 'self' ${webSocketOrigin}`;
  });
}

/** Resolves a file that the package contains but does not export. */
function resolveInPackage(name: string, path: string): URL {
  return new URL(path, import.meta.resolve(name));
}
