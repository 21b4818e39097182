import { randomBytes } from 'node:crypto';
import { ApiClient } from './api-client.ts';
import * as documents from './documents.ts';
import { type HttpClient, type NoResponse, type Reply, waitBeforeRetry } from './http-client.ts';
import type { Journal } from './journal.ts';
import type { OperatorPlan, Plan } from './plan.ts';

/** Prepares websites, skills, groups, operators and their tokens through GraphQL. */

export interface Login {
  readonly email: string;
  readonly password: string;
}

export interface SetupOperator {
  readonly id: string;
  readonly token: string;
}

export interface Setup {
  readonly admin: ApiClient;
  /** The position of the event log before the run. */
  readonly position: string;
  /** Ids by index in the plan. */
  readonly websites: readonly string[];
  readonly skills: readonly string[];
  readonly groups: readonly string[];
  readonly operators: readonly SetupOperator[];
}

export interface SetupOptions {
  /** Account settings to change, for a temporary server. */
  readonly account?: { readonly offerSeconds?: number; readonly queueLimit?: number };
  readonly onProgress?: (text: string) => void;
}

const MAX_CONCURRENT_LOGINS = 4;
const MAX_LOGIN_TRIES = 50;

export async function setUp(
  client: HttpClient,
  journal: Journal,
  plan: Plan,
  token: string,
  { account, onProgress }: SetupOptions = {},
): Promise<Setup> {
  const admin = new ApiClient(client, journal, 'admin', { path: documents.OPERATOR_PATH, token });
  const { websites, skills, groups } = plan.options;
  if (account) await executeOrThrow(admin, 'accountUpdate', documents.ACCOUNT_UPDATE, account);
  onProgress?.('websites, skills and groups');
  const directory = {
    websites: await ensureDirectory(admin, 'website', websites),
    skills: await ensureDirectory(admin, 'skill', skills),
    groups: await ensureDirectory(admin, 'group', groups),
  };
  const { absenceMinutes } = plan.options;
  for (const id of directory.websites) {
    const absence = { waitingAbsenceMinutes: absenceMinutes, activeAbsenceMinutes: absenceMinutes };
    await executeOrThrow(admin, 'websiteUpdate', documents.WEBSITE_UPDATE, { id, ...absence });
  }
  onProgress?.(`${plan.operators.length} operators`);
  const password = randomBytes(18).toString('base64url'); // random, so that these logins are unusable outside the run
  const rows = plan.operators.map((operator) => ({ ...toImportRow(operator, directory), password }));
  const { report } = await executeOrThrow<{ report: ImportReport }>(
    admin,
    'operatorsImport',
    documents.OPERATORS_IMPORT,
    {
      rows,
    },
  );
  if (!report.applied) throw new Error(`The operators could not be created: ${JSON.stringify(report.rows[0])}`);
  const operators: SetupOperator[] = [];
  const remaining = [...plan.operators.keys()];
  const logInNext = async (): Promise<void> => {
    for (let index = remaining.shift(); index !== undefined; index = remaining.shift()) {
      const login = { email: rows[index]?.email ?? '', password };
      operators[index] = {
        id: report.rows[index]?.operatorId ?? '',
        token: await logIn(client.forParticipant(index + 1), login),
      };
      onProgress?.(`operator ${plan.operators.length - remaining.length} of ${plan.operators.length} logs in`);
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_LOGINS }, logInNext));
  const position = await executeOrThrow<string>(admin, 'eventPosition', documents.EVENT_POSITION);
  return { admin, position, ...directory, operators };
}

interface ImportReport {
  readonly applied: boolean;
  readonly rows: readonly { readonly operatorId: string | null }[];
}

const DIRECTORY_KINDS = {
  website: { list: 'websites', label: 'label', query: documents.WEBSITE_CREATE },
  skill: { list: 'skills', label: 'name', query: documents.SKILL_CREATE },
  group: { list: 'groups', label: 'name', query: documents.GROUP_CREATE },
} as const;

/** Reuses the entries of an earlier run. */
async function ensureDirectory(admin: ApiClient, kind: keyof typeof DIRECTORY_KINDS, count: number): Promise<string[]> {
  const { list, label, query } = DIRECTORY_KINDS[kind];
  const answer = await admin.execute<{ nodes: Record<string, string>[] }>({
    operation: list,
    query: documents.DIRECTORY,
  });
  if (answer.outcome !== 'done') throw new Error(`The ${list} could not be read: ${answer.message}`);
  const ids: string[] = [];
  for (let number = 1; number <= count; number++) {
    const name = `Simulated ${kind} ${number}`;
    const existingId = answer.data.nodes.find((node) => node[label] === name)?.id;
    const input = kind === 'website' ? { label: name, url: `https://simulated${number}.example` } : { name };
    const created =
      existingId === undefined
        ? await executeOrThrow<Record<string, { id: string }>>(admin, `${kind}Create`, query, input)
        : undefined;
    ids.push(existingId ?? created?.[kind]?.id ?? '');
  }
  return ids;
}

function toImportRow(
  operator: OperatorPlan,
  { websites, skills, groups }: Pick<Setup, 'websites' | 'skills' | 'groups'>,
) {
  const { index, channels, chatMaxNumber, chatAndCall, priority, languages, group } = operator;
  const idsAt = (ids: readonly string[], numbers: readonly number[]) => numbers.map((number) => ids[number] as string);
  return {
    externalId: `simulated-${index + 1}`,
    name: `Simulated ${index + 1}`,
    email: `simulated${index + 1}@simulated.example`,
    roles: ['OPERATOR'],
    chatEnabled: channels.includes('chat'),
    callEnabled: channels.includes('call'),
    videoEnabled: channels.includes('video'),
    chatMaxNumber,
    chatAndCall,
    chatPriority: priority,
    languageList: languages,
    groupId: group === null ? null : (groups[group] as string),
    websiteIds: idsAt(websites, operator.websites),
    skillIds: idsAt(skills, operator.skills),
  };
}

async function executeOrThrow<T>(admin: ApiClient, operation: string, query: string, input: object = {}): Promise<T> {
  const answer = await admin.execute<T>({ operation, query, variables: { input } });
  if (answer.outcome !== 'done') throw new Error(`${operation} failed: ${answer.code}, ${answer.message}`);
  return answer.data;
}

/** Returns an access token. Waits and retries while the service limits logins. */
export async function logIn(client: HttpClient, { email, password }: Login): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username: email, password }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (let attempts = 1; ; attempts += 1) {
    const reply: Reply | NoResponse = await client.post({ path: '/oauth2/token', headers, body });
    if ('body' in reply && typeof reply.body?.access_token === 'string') return reply.body.access_token;
    const isRetryable = 'noResponse' in reply || reply.status === 429 || reply.status === 503;
    if (!isRetryable || attempts === MAX_LOGIN_TRIES)
      throw new Error(`The login of ${email} failed: ${JSON.stringify(reply)}`);
    if ('noResponse' in reply) client.switchNode();
    await waitBeforeRetry(reply, attempts);
  }
}

/** Deletes the operators from a service that keeps running. */
export async function tearDown({ admin, operators }: Setup): Promise<void> {
  for (const { id } of operators) await executeOrThrow(admin, 'operatorDelete', documents.OPERATOR_DELETE, { id });
}
