import { randomBytes, randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { graphqlClient, logIn } from '../clients/graphql.ts';
import { DATABASE_PREFIX, TEMPLATE_DATABASE, TEST_SECRET } from '../databases/postgres-database.ts';
import { type ProcessOptions, type SwitchboardProcess, startSwitchboardProcess } from '../processes/switchboard.ts';
import { retryingGraphqlClient } from '../waiting/retrying-clients.ts';
import { waitUntil } from '../waiting/wait.ts';

/** Real nodes on one database, without a load balancer: the test chooses the node. */
export interface Nodes {
  readonly all: readonly SwitchboardProcess[];
  readonly urls: readonly string[];
  readonly databaseUrl: string;
  /** Starts another node on the same database, by default of this version; the test stops it. */
  startAnother(options?: Pick<ProcessOptions, 'main' | 'args'>): Promise<SwitchboardProcess>;
  /** A direct connection, for data that no API shows. */
  readonly sql: postgres.Sql;
  /** The first administrator's token. */
  readonly token: string;
  end(): Promise<void>;
}

export interface NodesOptions {
  readonly count?: number;
  /** Starts without tables; the default is a copy of the run's template database, if there is one. */
  readonly hasEmptyDatabase?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** A file that starts the service instead of `src/main.ts`. */
  readonly main?: string;
  readonly args?: readonly string[];
  /** Environment of a single node, for example a proxied database URL. */
  envForNode?(index: number, database: string): Promise<Record<string, string>> | Record<string, string>;
}

const NO_LIMITS = {
  SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};

/** Creates a database on the server and starts the nodes on it concurrently. */
export async function startNodes(
  server: string,
  { count = 2, hasEmptyDatabase = false, env = {}, main, args = [], envForNode = () => ({}) }: NodesOptions = {},
): Promise<Nodes> {
  const name = `${DATABASE_PREFIX}nodes_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const databaseUrl = String(url);
  const admin = postgres(server, { max: 1, onnotice: () => undefined });
  const template = hasEmptyDatabase || server !== process.env.TEST_DATABASE_URL ? 'template0' : TEMPLATE_DATABASE;
  await admin.unsafe(`create database ${name} template ${template} strategy wal_log`);
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => undefined, types: NUMBER_TYPES as never });
  const common = {
    DATABASE_URL: databaseUrl,
    SWITCHBOARD_SECRET: TEST_SECRET,
    SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1',
    SWITCHBOARD_WEBHOOK_PRIVATE: '1',
    ...NO_LIMITS,
    ...env,
  };
  const started = await Promise.allSettled(
    Array.from({ length: count }, async (_, index) =>
      startSwitchboardProcess({
        env: { ...common, ...(await envForNode(index, databaseUrl)) },
        ...(main === undefined ? {} : { main }),
        args,
      }),
    ),
  );
  const all = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const end = async () => {
    await Promise.all(all.map((node) => node.stop()));
    await sql.end({ timeout: 1 });
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end({ timeout: 1 });
  };
  try {
    const failed = started.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    const token = await logIn((all[0] as SwitchboardProcess).url);
    const startAnother: Nodes['startAnother'] = (other) => startSwitchboardProcess({ env: common, ...other });
    return { all, urls: all.map((node) => node.url), databaseUrl, startAnother, sql, token, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Parses bigint and numeric as numbers. */
const NUMBER_TYPES = { number: { to: 20, from: [20, 1700], serialize: String, parse: Number } };

export interface Staff {
  readonly website: number;
  /** In the order of creation. */
  readonly operators: readonly { readonly id: number; readonly email: string; readonly token: string }[];
}

export const PASSWORD = 'a long enough password';

/** Creates a website and operators who are available for its chats. They are connected once their desks are. */
export async function createStaff({ urls, token }: Nodes, count: number, chatMaxNumber = 5): Promise<Staff> {
  const url = urls[0] ?? '';
  const admin = retryingGraphqlClient(url, token);
  const idempotencyHeaders = () => ({ 'Idempotency-Key': randomUUID() });
  const createWebsite = 'mutation{websiteCreate(input:{url:"https://a.example" label:"A"}){website{id}}}';
  const created = await admin.run(createWebsite, {}, idempotencyHeaders());
  const website = Number(created.data.websiteCreate.website.id);
  const operators = [];
  for (let number = 0; number < count; number += 1) {
    const email = `operator${number}.${website}@example.com`; // unique among several suites
    const { data } = await admin.run(
      `mutation{operatorCreate(input:{name:"Operator ${number}" email:"${email}" password:"${PASSWORD}" chatMaxNumber:${chatMaxNumber} websiteIds:[${website}]}){operator{id}}}`,
      {},
      idempotencyHeaders(),
    );
    const id = Number(data.operatorCreate.operator.id);
    await admin.run(`mutation{operatorAvailabilityUpdate(input:{id:${id} chat:true}){userErrors{message}}}`);
    operators.push({ id, email, token: await logIn(url, { email, password: PASSWORD }) });
  }
  return { website, operators };
}

/** Starts a visitor's conversation; the operator it is offered to accepts it unless `accept` is false. */
export async function startConversation(
  { sql }: Nodes,
  url: string,
  { website, operators }: Staff,
  { accept = true } = {},
): Promise<{ id: number; token: string }> {
  const json = { 'Content-Type': 'application/json' };
  const session = await fetch(`${url}/visitor/session`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ websiteId: website }),
  });
  const { token } = (await session.json()) as { token: string };
  const query = 'mutation{conversationStart(input:{channel:CHAT message:"Hello"}){conversation{id}}}';
  const response = await fetch(`${url}/visitor/graphql`, {
    method: 'POST',
    headers: { ...json, Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await response.json()) as { data: { conversationStart: { conversation: { id: string } } } };
  const id = Number(data.conversationStart.conversation.id);
  if (!accept) return { id, token };
  const [row] = await sql`select operator_id from conversations where account_id = 1 and id = ${id}`;
  const operator = operators.find((candidate) => candidate.id === row?.operator_id);
  if (!operator) throw new Error(`Conversation ${id} was not offered to an operator.`);
  const { errors, data: accepted } = await graphqlClient(url, operator.token).run(
    `mutation{offerAccept(input:{conversationId:${id}}){userErrors{message}}}`,
  );
  if (accepted?.offerAccept.userErrors.length !== 0) throw new Error(JSON.stringify({ errors, accepted }));
  return { id, token };
}

/** The last position in the account's event log. */
export async function readEventPosition({ sql }: Nodes): Promise<number> {
  const [row] = await sql`select event_position from accounts where id = 1`;
  return Number(row?.event_position);
}

/** A node counts missed offers only after more than 10 s of scheduler rounds with a working database. */
const ROUNDS_UNTIL_OFFERS_EXPIRE = 22;

/** Resolves after every node has completed `count` more scheduler rounds. */
export async function waitForRounds({ urls }: Pick<Nodes, 'urls'>, count: number): Promise<void> {
  await Promise.all(
    urls.map(async (url) => {
      const goal = (await readRounds(url)).done + count;
      await waitUntil(`${count} scheduler rounds`, async () => (await readRounds(url)).done >= goal);
    }),
  );
}

/** Resolves once every node has had its database for long enough that an expiring offer counts as missed. */
export async function waitUntilOffersCanExpire({ urls }: Pick<Nodes, 'urls'>): Promise<void> {
  await Promise.all(
    urls.map(async (url) => {
      let previous = await readRounds(url);
      let from = previous.failed === 0 ? 0 : previous.done;
      await waitUntil('the scheduler ran long enough without a failure', async () => {
        const now = await readRounds(url);
        if (now.failed > previous.failed) from = now.done;
        previous = now;
        return now.done >= from + ROUNDS_UNTIL_OFFERS_EXPIRE;
      });
    }),
  );
}

async function readRounds(url: string): Promise<{ done: number; failed: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (outcome: string) =>
    Number(text.match(new RegExp(`clockwork_rounds_total\\{outcome="${outcome}"\\} (\\d+)`))?.[1] ?? 0);
  return { done: count('done'), failed: count('failed') };
}
