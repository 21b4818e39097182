import { randomBytes } from 'node:crypto';
import { Asking } from './asking.ts';
import { type Client, type NoAnswer, type Reply, waitAfter } from './client.ts';
import * as documents from './documents.ts';
import type { Journal } from './journal.ts';
import type { OperatorPlan, Plan } from './plan.ts';

/** What must be there before anybody comes: websites, skills, groups, operators and their tokens. All by GraphQL. */

export interface Login {
  readonly email: string;
  readonly password: string;
}

export interface StagedOperator {
  readonly id: string;
  readonly token: string;
}

export interface Stage {
  readonly admin: Asking;
  /** Identifiers, by the numbers of the plan. */
  readonly websites: readonly string[];
  readonly skills: readonly string[];
  readonly groups: readonly string[];
  readonly operators: readonly StagedOperator[];
}

export interface StageOptions {
  /** Changes of the account's settings, for a server of one's own. */
  readonly account?: { readonly offerSeconds?: number; readonly queueLimit?: number };
  readonly onProgress?: (text: string) => void;
}

const LOGINS_AT_ONCE = 4;
const LOGIN_TRIES = 50;

export async function setStage(
  client: Client,
  journal: Journal,
  plan: Plan,
  token: string,
  { account, onProgress }: StageOptions = {},
): Promise<Stage> {
  const admin = new Asking(client, journal, 'admin', { path: documents.OPERATOR_PATH, token });
  const { websites, skills, groups } = plan.options;
  if (account) await must(admin, 'accountUpdate', documents.ACCOUNT_UPDATE, account);
  onProgress?.('websites, skills and groups');
  const directory = {
    websites: await directoryOf(admin, 'website', websites),
    skills: await directoryOf(admin, 'skill', skills),
    groups: await directoryOf(admin, 'group', groups),
  };
  onProgress?.(`${plan.operators.length} operators`);
  const password = randomBytes(18).toString('base64url'); // new in every run: nobody else can use these logins
  const rows = plan.operators.map((operator) => ({ ...describe(operator, directory), password }));
  const { report } = await must<{ report: ImportReport }>(admin, 'operatorsImport', documents.OPERATORS_IMPORT, {
    rows,
  });
  if (!report.applied) throw new Error(`The operators could not be made: ${JSON.stringify(report.rows[0])}`);
  const operators: StagedOperator[] = [];
  const left = [...plan.operators.keys()];
  const logInNext = async (): Promise<void> => {
    for (let index = left.shift(); index !== undefined; index = left.shift()) {
      const login = { email: rows[index]?.email ?? '', password };
      operators[index] = { id: report.rows[index]?.operatorId ?? '', token: await logIn(client.for(index + 1), login) };
      onProgress?.(`operator ${plan.operators.length - left.length} of ${plan.operators.length} logs in`);
    }
  };
  await Promise.all(Array.from({ length: LOGINS_AT_ONCE }, logInNext));
  return { admin, ...directory, operators };
}

interface ImportReport {
  readonly applied: boolean;
  readonly rows: readonly { readonly operatorId: string | null }[];
}

const THINGS = {
  website: { list: 'websites', label: 'label', query: documents.WEBSITE_CREATE },
  skill: { list: 'skills', label: 'name', query: documents.SKILL_CREATE },
  group: { list: 'groups', label: 'name', query: documents.GROUP_CREATE },
} as const;

/** Those that an earlier run made serve again. */
async function directoryOf(admin: Asking, kind: keyof typeof THINGS, count: number): Promise<string[]> {
  const { list, label, query } = THINGS[kind];
  const answer = await admin.ask<{ nodes: Record<string, string>[] }>({ operation: list, query: documents.DIRECTORY });
  if (answer.outcome !== 'done') throw new Error(`The ${list} could not be read: ${answer.message}`);
  const ids: string[] = [];
  for (let number = 1; number <= count; number++) {
    const name = `Simulated ${kind} ${number}`;
    const known = answer.data.nodes.find((node) => node[label] === name)?.id;
    const input = kind === 'website' ? { label: name, url: `https://simulated${number}.example` } : { name };
    const made =
      known === undefined
        ? await must<Record<string, { id: string }>>(admin, `${kind}Create`, query, input)
        : undefined;
    ids.push(known ?? made?.[kind]?.id ?? '');
  }
  return ids;
}

function describe(operator: OperatorPlan, { websites, skills, groups }: Pick<Stage, 'websites' | 'skills' | 'groups'>) {
  const { index, channels, chatMaxNumber, chatAndCall, priority, languages, group } = operator;
  const named = (ids: readonly string[], numbers: readonly number[]) => numbers.map((number) => ids[number] as string);
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
    websiteIds: named(websites, operator.websites),
    skillIds: named(skills, operator.skills),
  };
}

async function must<T>(admin: Asking, operation: string, query: string, input: object): Promise<T> {
  const answer = await admin.ask<T>({ operation, query, variables: { input } });
  if (answer.outcome !== 'done') throw new Error(`${operation} failed: ${answer.code}, ${answer.message}`);
  return answer.data;
}

/** A token for an e-mail and a password. Whoever is asked to wait, waits. */
export async function logIn(client: Client, { email, password }: Login): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username: email, password }).toString();
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  for (let tries = 1; ; tries += 1) {
    const reply: Reply | NoAnswer = await client.post({ path: '/oauth2/token', headers, body });
    if ('body' in reply && typeof reply.body?.access_token === 'string') return reply.body.access_token;
    const passing = 'noAnswer' in reply || reply.status === 429 || reply.status === 503;
    if (!passing || tries === LOGIN_TRIES) throw new Error(`The login of ${email} failed: ${JSON.stringify(reply)}`);
    if ('noAnswer' in reply) client.moveOn();
    await waitAfter(reply, tries);
  }
}

/** Takes the operators away again, on a server that is not one's own. */
export async function clearStage({ admin, operators }: Stage): Promise<void> {
  for (const { id } of operators) await must(admin, 'operatorDelete', documents.OPERATOR_DELETE, { id });
}
