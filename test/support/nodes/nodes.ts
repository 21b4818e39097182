import { randomBytes, randomUUID } from 'node:crypto';
import postgres from 'postgres';
import { graphqlClient, logIn } from '../clients/graphql.ts';
import { PREFIX, SECRET, TEMPLATE } from '../databases/postgres-database.ts';
import { type SwitchboardProcess, startSwitchboardProcess } from '../processes/switchboard.ts';
import { patientGraphqlClient } from '../waiting/patient.ts';
import { until } from '../waiting/until.ts';

/** Real nodes on one database, without a balancer between: the test says which one it talks to. */
export interface Nodes {
  readonly all: readonly SwitchboardProcess[];
  readonly urls: readonly string[];
  /** The address of their database. */
  readonly database: string;
  /** The database itself, for what no interface shows. */
  readonly sql: postgres.Sql;
  /** Of the first administrator. */
  readonly token: string;
  end(): Promise<void>;
}

export interface NodesOptions {
  readonly count?: number;
  /** Whether their database has no tables yet; otherwise it is a copy of the one that the run has made, where there is one. */
  readonly isEmpty?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Another file that starts the service, in the place of the program. */
  readonly main?: string;
  /** What is special about one of them, for example the way to its database. */
  envOf?(index: number, database: string): Promise<Record<string, string>> | Record<string, string>;
}

const NO_LIMITS = {
  SWITCHBOARD_VISITOR_SESSIONS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_ADDRESS_STARTS_PER_MINUTE: '0',
  SWITCHBOARD_VISITOR_MESSAGES_PER_MINUTE: '0',
};

/** A database of its own on a PostgreSQL, and nodes that start on it at once. */
export async function startNodes(
  server: string,
  { count = 2, isEmpty = false, env = {}, main, envOf = () => ({}) }: NodesOptions = {},
): Promise<Nodes> {
  const name = `${PREFIX}nodes_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const database = String(url);
  const admin = postgres(server, { max: 1, onnotice: () => undefined });
  const template = isEmpty || server !== process.env.TEST_DATABASE_URL ? 'template0' : TEMPLATE;
  await admin.unsafe(`create database ${name} template ${template} strategy wal_log`);
  const sql = postgres(database, { max: 2, onnotice: () => undefined, types: NUMBERS as never });
  const common = {
    DATABASE_URL: database,
    SWITCHBOARD_SECRET: SECRET,
    SWITCHBOARD_TRUSTED_PROXIES: '127.0.0.1',
    SWITCHBOARD_WEBHOOK_PRIVATE: '1',
    ...NO_LIMITS,
    ...env,
  };
  const started = await Promise.allSettled(
    Array.from({ length: count }, async (_, index) =>
      startSwitchboardProcess({
        env: { ...common, ...(await envOf(index, database)) },
        ...(main === undefined ? {} : { main }),
      }),
    ),
  );
  const all = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const end = async () => {
    await Promise.all(all.map((node) => node.stop()));
    await sql.end({ timeout: 1 });
    await admin.unsafe(`drop database ${name} with (force)`);
    await admin.end({ timeout: 1 });
  };
  try {
    const failed = started.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    const token = await logIn((all[0] as SwitchboardProcess).url);
    return { all, urls: all.map((node) => node.url), database, sql, token, end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Times and counts as numbers. */
const NUMBERS = { number: { to: 20, from: [20, 1700], serialize: String, parse: Number } };

export interface Staff {
  readonly website: number;
  /** In the order of their making, with a token for each. */
  readonly operators: readonly { readonly id: number; readonly email: string; readonly token: string }[];
}

export const PASSWORD = 'a long enough password';

/** A website, and operators who want chats on it. They are connected when their desks are. */
export async function makeStaff({ urls, token }: Nodes, count: number, chatMaxNumber = 5): Promise<Staff> {
  const url = urls[0] ?? '';
  const admin = patientGraphqlClient(url, token);
  const key = () => ({ 'Idempotency-Key': randomUUID() });
  const createWebsite = 'mutation{websiteCreate(input:{url:"https://a.example" label:"A"}){website{id}}}';
  const made = await admin.run(createWebsite, {}, key());
  const website = Number(made.data.websiteCreate.website.id);
  const operators = [];
  for (let number = 0; number < count; number += 1) {
    const email = `operator${number}@example.com`;
    const { data } = await admin.run(
      `mutation{operatorCreate(input:{name:"Operator ${number}" email:"${email}" password:"${PASSWORD}" chatMaxNumber:${chatMaxNumber} websiteIds:[${website}]}){operator{id}}}`,
      {},
      key(),
    );
    const id = Number(data.operatorCreate.operator.id);
    await admin.run(`mutation{operatorAvailabilityUpdate(input:{id:${id} chat:true}){userErrors{message}}}`);
    operators.push({ id, email, token: await logIn(url, { email, password: PASSWORD }) });
  }
  return { website, operators };
}

/** A visitor and their conversation, which whoever it is offered to accepts, unless it shall wait for an answer. */
export async function startTalk(
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
  const answer = await fetch(`${url}/visitor/graphql`, {
    method: 'POST',
    headers: { ...json, Authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
  const { data } = (await answer.json()) as { data: { conversationStart: { conversation: { id: string } } } };
  const id = Number(data.conversationStart.conversation.id);
  if (!accept) return { id, token };
  const [row] = await sql`select operator_id from conversations where account_id = 1 and id = ${id}`;
  const operator = operators.find((each) => each.id === row?.operator_id);
  if (!operator) throw new Error(`Conversation ${id} was offered to nobody.`);
  const { errors, data: accepted } = await graphqlClient(url, operator.token).run(
    `mutation{offerAccept(input:{conversationId:${id}}){userErrors{message}}}`,
  );
  if (accepted?.offerAccept.userErrors.length !== 0) throw new Error(JSON.stringify({ errors, accepted }));
  return { id, token };
}

/** Where the log of the account stands. */
export async function eventPosition({ sql }: Nodes): Promise<number> {
  const [row] = await sql`select event_position from accounts where id = 1`;
  return Number(row?.event_position);
}

/** Rounds of the clockwork for which a node must have had its database before it counts a missed offer: more than 10 s of them. */
const SIGHTED_ROUNDS = 22;

/** Answers when every node has looked so many more times at what is over. */
export async function untilRounds({ urls }: Pick<Nodes, 'urls'>, count: number): Promise<void> {
  await Promise.all(
    urls.map(async (url) => {
      const goal = (await roundsOf(url)).done + count;
      await until(`${count} rounds of the clockwork`, async () => (await roundsOf(url)).done >= goal);
    }),
  );
}

/** Answers when every node has had its database for long enough: whose offer runs out from now on could have answered it. */
export async function untilSighted({ urls }: Pick<Nodes, 'urls'>): Promise<void> {
  await Promise.all(
    urls.map(async (url) => {
      let known = await roundsOf(url);
      let from = known.failed === 0 ? 0 : known.done;
      await until('the clockwork ran for long enough without a failure', async () => {
        const now = await roundsOf(url);
        if (now.failed > known.failed) from = now.done;
        known = now;
        return now.done >= from + SIGHTED_ROUNDS;
      });
    }),
  );
}

async function roundsOf(url: string): Promise<{ done: number; failed: number }> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const count = (outcome: string) =>
    Number(text.match(new RegExp(`clockwork_rounds_total\\{outcome="${outcome}"\\} (\\d+)`))?.[1] ?? 0);
  return { done: count('done'), failed: count('failed') };
}
