/**
 * The imports that are forbidden in a folder or file. `path` is a glob; `forbidden` are patterns of import specifiers.
 */
export interface ImportRule {
  readonly path: string;
  readonly forbidden: readonly string[];
  readonly reason: string;
}

/** The layers of core/, top first: a folder imports only folders below it. */
export const CORE_LAYERS = [
  'upkeep',
  'visitors',
  'attachments',
  'reports',
  'administration',
  'engine/scheduler',
  'engine/conversations',
  'engine/presence',
  'engine/routing',
  'engine/records',
  'operators',
  'directory',
  'webhooks',
  'access',
  'live',
  'signals',
  'events',
  'kernel',
] as const;

/** The folders of api/, each with the sibling folders that it may import. */
const PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  rest: ['http'],
  oauth: ['http'],
  graphql: ['graphql-server', 'http'],
  visitor: ['graphql-server', 'http'],
  pages: ['rest', 'oauth', 'http'],
  'graphql-server': ['http'],
  http: [],
};

/** The folders of web/ with pages. They do not import each other, and only web/shared is common to them. */
const VIEWS = ['widget', 'start', 'login', 'password', 'account', 'desk', 'console', 'docs'] as const;

const inFolder = (folder: string) => `**/${folder}/**`;
const OUTSIDE = ['test', 'bench', 'simulate', 'scripts', 'web'].map(inFolder);
const SERVICE = ['src', 'test', 'scripts'].map(inFolder);
const FRAMEWORKS = [
  ...['fastify', 'graphql', 'graphql-ws', 'graphql-http', 'ws', '@pothos/core', 'pino', 'prom-client'],
].flatMap((name) => [name, `${name}/**`]);

/** Everything above each layer, from the top down. */
const MAIN = ['**/main.ts', ...OUTSIDE];
const COMMANDS = [...MAIN, inFolder('commands')];
const DEMO = [...COMMANDS, inFolder('demo')];
const APP = [...DEMO, inFolder('app'), '**/config.ts'];
const API = [...APP, inFolder('api'), ...FRAMEWORKS];
const CORE = [...API, inFolder('core')];

export const importRules: readonly ImportRule[] = [
  // The default; every entry below overrides it for its path.
  {
    path: 'src/**',
    forbidden: ['./**', '../**'],
    reason: 'This folder has no import rule yet: add one in scripts/import-rules.ts.',
  },
  { path: 'src/main.ts', forbidden: OUTSIDE, reason: 'The service does not import its tests or tools.' },
  { path: 'src/config.ts', forbidden: ['./**', '../**'], reason: 'The settings import no part of the service.' },
  {
    path: 'src/commands/**',
    forbidden: MAIN,
    reason: 'commands/ does not use the process: main.ts passes it a terminal.',
  },
  {
    path: 'src/demo/**',
    forbidden: [...COMMANDS, inFolder('api')],
    reason: 'The demo uses the services, not the protocols.',
  },
  { path: 'src/app/**', forbidden: DEMO, reason: 'app/ wires and starts the service; commands/ and demo/ use it.' },
  ...Object.entries(PROTOCOLS).map(([folder, allowed]) => ({
    path: `src/api/${folder}/**`,
    forbidden: [
      ...APP,
      inFolder('storage'),
      'kysely',
      ...Object.keys(PROTOCOLS)
        .filter((other) => other !== folder && !allowed.includes(other))
        .map(inFolder),
    ],
    reason: 'Protocols do not import each other, and reach the database through core/ only.',
  })),
  ...CORE_LAYERS.map((layer, index) => ({
    path: `src/core/${layer}/**`,
    forbidden: [...API, ...foldersAbove(index)],
    reason: 'A folder of core/ imports only folders below it and no protocol: see docs/architecture.md.',
  })),
  {
    path: 'src/core/engine/*.ts',
    forbidden: [...API, ...foldersAbove(CORE_LAYERS.indexOf('engine/scheduler'))],
    reason: 'The engine imports only folders below it.',
  },
  {
    path: 'src/storage/*.ts',
    forbidden: [...CORE, ...['copy', 'sqlite', 'postgres'].map(inFolder)],
    reason: storage(),
  },
  {
    path: 'src/storage/migrations/**',
    forbidden: [...CORE, ...['copy', 'sqlite', 'postgres'].map(inFolder)],
    reason: storage(),
  },
  { path: 'src/storage/sqlite/**', forbidden: [...CORE, ...['copy', 'postgres'].map(inFolder)], reason: storage() },
  { path: 'src/storage/postgres/**', forbidden: [...CORE, ...['copy', 'sqlite'].map(inFolder)], reason: storage() },
  { path: 'src/storage/copy/**', forbidden: CORE, reason: storage() },
  {
    path: 'web/shared/**',
    forbidden: [...SERVICE, ...VIEWS.map(inFolder)],
    reason: 'web/shared is for all pages, so it imports none of them.',
  },
  ...VIEWS.map((view) => ({
    path: `web/${view}/**`,
    forbidden: [...SERVICE, ...VIEWS.filter((other) => other !== view).map(inFolder)],
    reason: 'Pages do not import each other, and use only the public interfaces of the service.',
  })),
];

/** The folders above a layer of core/. For a layer below the engine, the whole engine counts as one folder. */
function foldersAbove(index: number): string[] {
  const isInEngine = CORE_LAYERS[index]?.startsWith('engine/') ?? false;
  const above = CORE_LAYERS.slice(0, index).map((layer) => {
    const [first = '', second] = layer.split('/');
    return inFolder(second !== undefined && isInEngine ? second : first);
  });
  return [...new Set(above), ...(isInEngine ? ['**/engine.ts'] : [])];
}

function storage(): string {
  return 'storage/ imports nothing above it, and sqlite/ and postgres/ do not import each other.';
}

/** The rules in the linter's configuration format. */
export function toLinterConfig(): object {
  return {
    overrides: importRules.map(({ path, forbidden, reason }) => ({
      includes: [path],
      linter: {
        rules: {
          style: {
            noRestrictedImports: { level: 'error', options: { patterns: [{ group: forbidden, message: reason }] } },
          },
        },
      },
    })),
  };
}
