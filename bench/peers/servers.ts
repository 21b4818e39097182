import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordResponse } from '../cases.ts';
import { forkServer, type Server } from '../processes.ts';
import type { PEERS } from './install.ts';
import { operatorPage, parseFill, type Row } from './requests.ts';

/** The peers, each with the same operators as the service. */

/** Small, so that the first operators of Parse Server are those of the first page: it stores a batch in any order. */
const BATCH = 20;

export function startPostgraphile(installed: string, database: string, folder: string): Promise<Server> {
  return startPeer('postgraphile', installed, database, folder);
}

export function startJsonServer(installed: string, rows: readonly Row[], folder: string): Promise<Server> {
  const file = join(folder, 'operators.json');
  writeFileSync(file, JSON.stringify({ operators: rows }));
  return startPeer('json-server', installed, file, folder);
}

export async function startParseServer(
  installed: string,
  { rows, database }: { readonly rows: readonly Row[]; readonly database: string },
  folder: string,
): Promise<Server> {
  const server = await startPeer('parse-server', installed, database, folder);
  for (let start = 0; start < rows.length; start += BATCH) {
    const { body } = await recordResponse(server.port, parseFill(rows.slice(start, start + BATCH)));
    if (body.includes('"error"')) throw new Error(`Parse Server did not store the operators: ${body}`);
  }
  return server;
}

/** All operators of the account, newest first. */
export async function readOperators(service: Server): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { body } = await recordResponse(service.port, operatorPage(page));
    const { data, pagination } = JSON.parse(Buffer.from(body, 'latin1').toString()) as {
      data: Row[];
      pagination: { pages: number };
    };
    rows.push(...data);
    pages = pagination.pages;
  }
  return rows;
}

/** `name` is also the file of the program that starts it. */
function startPeer(name: keyof typeof PEERS, installed: string, data: string, folder: string): Promise<Server> {
  // Parse Server writes its log into the folder that it runs in.
  const options = { cwd: folder, log: join(folder, `${name}.log`), env: { NODE_ENV: 'production' } };
  return forkServer(new URL(`${name}.ts`, import.meta.url), [installed, data], options);
}
