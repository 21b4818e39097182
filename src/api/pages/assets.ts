import type { FastifyInstance, FastifyReply } from 'fastify';
import { DomainError } from '../../core/kernel/errors.ts';
import { sendAsset } from './send-asset.ts';
import type { WebBuild } from './web-build.ts';

const KEEP_FOREVER = 'public, max-age=31536000, immutable';
/** A new version of the widget reaches every visitor within this time. */
const KEEP_LOADER = 'public, max-age=300';
/** The panel of any version: a loader from before an upgrade, or from another node in the middle of one, gets ours. */
const PANEL = /^panel-\w+\.js$/;
const UNKNOWN_FILE = 'This version of the web pages has no such file.';

/** Registers the built scripts, styles and fonts under their hashed names, and the widget under its public addresses. */
export function registerAssets(app: FastifyInstance, build: WebBuild): void {
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) => {
    const { name } = request.params;
    const asset = build.getAsset(name);
    const panel = build.getEntry('panel.js');
    if (asset === undefined && panel !== undefined && PANEL.test(name)) {
      allowEveryWebsite(reply, 'no-cache');
      return reply.redirect(panel.file.name, 302); // relative: the service may be behind a path of another server
    }
    // A page has headers of its own, at its own address.
    if (asset === undefined || asset.file.name.endsWith('.html')) throw new DomainError('unknown', UNKNOWN_FILE);
    allowEveryWebsite(reply, KEEP_FOREVER);
    return sendAsset(request, reply, asset);
  });

  app.get('/widget.js', (request, reply) => {
    const loader = build.getEntry('widget.js');
    if (loader === undefined) return sendMissingBuild(reply);
    allowEveryWebsite(reply, KEEP_LOADER);
    reply.header('content-location', `widget/${build.manifest?.widgetVersion}.js`); // where it can be pinned
    return sendAsset(request, reply, loader);
  });

  // With its integrity hash, a website can pin the loader to the content that it has checked.
  app.get<{ Params: { file: string } }>('/widget/:file', (request, reply) => {
    const loader = build.getEntry('widget.js');
    if (loader === undefined) return sendMissingBuild(reply);
    const isCurrent = request.params.file === `${build.manifest?.widgetVersion}.js`;
    // An error too, so that the console of the page says that it was not found.
    allowEveryWebsite(reply, isCurrent ? KEEP_FOREVER : 'no-cache');
    if (!isCurrent) throw new DomainError('unknown', UNKNOWN_FILE);
    return sendAsset(request, reply, loader);
  });
}

/** The widget runs on other websites; a module and a font need permission to be loaded there. */
function allowEveryWebsite(reply: FastifyReply, cacheControl: string): void {
  reply.headers({
    'cache-control': cacheControl,
    'access-control-allow-origin': '*',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

export function sendMissingBuild(reply: FastifyReply): FastifyReply {
  return reply
    .code(503)
    .header('cache-control', 'no-store')
    .type('text/plain; charset=utf-8')
    .send(
      'The web pages are not built. Run `node scripts/prepare.mjs` in the folder of Switchboard, and restart it.\n',
    );
}
