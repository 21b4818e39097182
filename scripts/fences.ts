/** One folder or file of the source, and what it must not import, by patterns of import paths. */
export interface Fence {
  readonly place: string;
  readonly forbidden: readonly string[];
  readonly reason: string;
}

/** The floors of the core, the top floor first: a folder imports only folders below it. */
export const CORE_FLOORS = [
  'upkeep',
  'visitors',
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
  'events',
  'kernel',
] as const;

/** Folders of `api/`, and those beside them that each may import. */
const PROTOCOLS: Readonly<Record<string, readonly string[]>> = {
  rest: ['http'],
  oauth: ['http'],
  graphql: ['graphql-server', 'http'],
  visitor: ['graphql-server', 'http'],
  pages: ['rest', 'oauth', 'http'],
  'graphql-server': ['http'],
  http: [],
};

const inFolder = (folder: string) => `**/${folder}/**`;
const OUTSIDE = ['test', 'bench', 'simulate', 'scripts'].map(inFolder);
const FRAMEWORKS = [
  ...['fastify', 'graphql', 'graphql-ws', 'graphql-http', 'ws', '@pothos/core', 'pino', 'prom-client'],
].flatMap((name) => [name, `${name}/**`]);

/** What stands above each place, from the top of the house down. */
const MAIN = ['**/main.ts', ...OUTSIDE];
const COMMANDS = [...MAIN, inFolder('commands')];
const DEMO = [...COMMANDS, inFolder('demo')];
const APP = [...DEMO, inFolder('app'), '**/config.ts'];
const API = [...APP, inFolder('api'), ...FRAMEWORKS];
const CORE = [...API, inFolder('core')];

export const fences: readonly Fence[] = [
  // The first: each place below takes its own instead.
  {
    place: 'src/**',
    forbidden: ['./**', '../**'],
    reason: 'This folder has no floor yet: give it one in scripts/fences.ts.',
  },
  { place: 'src/main.ts', forbidden: OUTSIDE, reason: 'The service knows nothing of its tests.' },
  { place: 'src/config.ts', forbidden: ['./**', '../**'], reason: 'The settings know no part of the service.' },
  { place: 'src/commands/**', forbidden: MAIN, reason: 'commands/ knows no process: main.ts hands it a terminal.' },
  {
    place: 'src/demo/**',
    forbidden: [...COMMANDS, inFolder('api')],
    reason: 'The demo is made by the services, not by protocols.',
  },
  { place: 'src/app/**', forbidden: DEMO, reason: 'app/ wires and starts the service; commands and the demo use it.' },
  ...Object.entries(PROTOCOLS).map(([folder, allowed]) => ({
    place: `src/api/${folder}/**`,
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
  ...CORE_FLOORS.map((floor, index) => ({
    place: `src/core/${floor}/**`,
    forbidden: [...API, ...foldersAbove(index)],
    reason: 'A folder of core/ imports only folders below it, and core/ knows no protocol: see CONTRIBUTING.md.',
  })),
  {
    place: 'src/core/engine/*.ts',
    forbidden: [...API, ...foldersAbove(CORE_FLOORS.indexOf('engine/scheduler'))],
    reason: 'The engine knows nothing above it.',
  },
  {
    place: 'src/storage/*.ts',
    forbidden: [...CORE, ...['copy', 'sqlite', 'postgres'].map(inFolder)],
    reason: storage(),
  },
  {
    place: 'src/storage/migrations/**',
    forbidden: [...CORE, ...['copy', 'sqlite', 'postgres'].map(inFolder)],
    reason: storage(),
  },
  { place: 'src/storage/sqlite/**', forbidden: [...CORE, ...['copy', 'postgres'].map(inFolder)], reason: storage() },
  { place: 'src/storage/postgres/**', forbidden: [...CORE, ...['copy', 'sqlite'].map(inFolder)], reason: storage() },
  { place: 'src/storage/copy/**', forbidden: CORE, reason: storage() },
];

/** Whatever is above a floor of the core; the engine as a whole is above those that stand under it. */
function foldersAbove(index: number): string[] {
  const isInEngine = CORE_FLOORS[index]?.startsWith('engine/') ?? false;
  const above = CORE_FLOORS.slice(0, index).map((floor) => {
    const [first = '', second] = floor.split('/');
    return inFolder(second !== undefined && isInEngine ? second : first);
  });
  return [...new Set(above), ...(isInEngine ? ['**/engine.ts'] : [])];
}

function storage(): string {
  return 'storage/ imports nothing above it, and its two databases do not know each other.';
}

/** The fences in the words of the linter. */
export function fencesForLinter(): object {
  return {
    overrides: fences.map(({ place, forbidden, reason }) => ({
      includes: [place],
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
