import { loadPeer } from './load-peer.ts';
import { type PeerServer, servePeer } from './serve-peer.ts';

/** PostGraphile on the tables of the service. Its arguments: the folder of the installed peers, and the database. */

interface PostGraphile {
  createServ(grafserv: unknown): { addTo(server: PeerServer): Promise<void> };
}

const [folder = '', connectionString = ''] = process.argv.slice(2);
const { postgraphile } = loadPeer<{ postgraphile(preset: object): PostGraphile }>(folder, 'postgraphile');
const { PostGraphileAmberPreset } = loadPeer<{ PostGraphileAmberPreset: object }>(folder, 'postgraphile/presets/amber');
const { grafserv } = loadPeer<{ grafserv: unknown }>(folder, 'postgraphile/grafserv/node');
const { makePgService } = loadPeer<{ makePgService(options: object): object }>(folder, 'postgraphile/adaptors/pg');
const { jsonPgSmartTags } = loadPeer<{ jsonPgSmartTags(tags: object): object }>(folder, 'postgraphile/utils');

/** The tables declare no foreign keys; smart tags declare them for PostGraphile, and name the fields. */
function reference(column: string, table: string, name: string): string {
  return `(account_id, ${column}) references ${table} (account_id, id)|${name}`;
}
const FOREIGN_KEYS = {
  operators: [reference('group_id', 'groups', '@fieldName group')],
  operator_live: [reference('operator_id', 'operators', '@foreignSingleFieldName live')],
  operator_skills: [
    reference('operator_id', 'operators', '@foreignFieldName skills'),
    reference('skill_id', 'skills', '@fieldName skill'),
  ],
  operator_websites: [
    reference('operator_id', 'operators', '@foreignFieldName websites'),
    reference('website_id', 'websites', '@fieldName website'),
  ],
};
const tags = Object.entries(FOREIGN_KEYS).map(([table, foreignKey]) => [table, { tags: { foreignKey } }]);

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [jsonPgSmartTags({ version: 1, config: { class: Object.fromEntries(tags) } })],
  pgServices: [makePgService({ connectionString, schemas: ['public'] })],
  grafserv: { graphiql: false, watch: false },
});
servePeer(undefined, (server) => instance.createServ(grafserv).addTo(server));
