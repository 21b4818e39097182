import {
  firstPages,
  logins,
  type NamedRequest,
  RATIO_CASES,
  type Request,
  record,
  singleReads,
  slowReads,
  wire,
} from './cases.ts';
import type { StreamResult } from './load.ts';
import { type LoadGenerator, memoryOf, type Server } from './processes.ts';
import { progress } from './progress.ts';
import { adminToken, measureRatio, median, NO_LIMIT, type RatioResult } from './ratio.ts';

/** First pages of larger accounts are compared with those of this one. */
export const REFERENCE_SIZE = 1000;

/** Below the limit of 100 logins per minute and address, with those that are made elsewhere. */
const LOGINS = 40;
const LOGINS_AT_ONCE = 4;

export interface Plan {
  readonly cases: ReadonlySet<string>;
  readonly rounds: number;
  readonly roundMs: number;
  readonly pageRoundMs: number;
  readonly slowMs: number;
}

export interface Subject {
  readonly size: number;
  readonly service: Server;
  /** The service with plain execution of GraphQL, on the same data. */
  readonly plain: Server | undefined;
  /** The service on the smallest account; undefined where that is the subject itself. */
  readonly reference: Server | undefined;
  readonly generator: LoadGenerator;
  readonly folder: string;
  readonly plan: Plan;
}

export interface PageResult {
  readonly title: string;
  readonly rows: number;
  readonly medianMs: number;
  /** The latency at the smallest size, measured in the same rounds, and how many times longer it is here. */
  readonly reference: { readonly medianMs: number; readonly times: number } | undefined;
}

export interface SlowResult {
  readonly title: string;
  readonly medianMs: number;
  readonly givenUp: number;
  readonly requests: number;
  readonly singleP99Ms: number;
}

export interface SizeResult {
  readonly size: number;
  readonly ratios: readonly RatioResult[];
  readonly login: { readonly medianMs: number; readonly perSecond: number } | undefined;
  readonly pages: readonly PageResult[];
  readonly slow: { readonly aloneP99Ms: number; readonly reads: readonly SlowResult[] } | undefined;
  /** MB, after all of the load; undefined where the system does not tell. */
  readonly memory: number | undefined;
}

/** Everything that is measured of one account. */
export async function measure(subject: Subject): Promise<SizeResult> {
  const { size, service, plan } = subject;
  const [login] = logins(size, 1);
  const token = JSON.parse((await record(service.port, login as Request)).body).access_token as string;
  const ratios: RatioResult[] = [];
  for (const ratioCase of RATIO_CASES) {
    if (!plan.cases.has(ratioCase.name)) continue;
    const compared = { ...subject, name: nameOf(subject), nodes: [service] };
    ratios.push(await measureRatio(compared, ratioCase, ratioCase.plain ? await adminToken(service) : token));
  }
  return {
    size,
    ratios,
    login: plan.cases.has('login') ? await measureLogin(subject) : undefined,
    pages: plan.cases.has('pages') ? await measurePages(subject) : [],
    slow: plan.cases.has('slow') ? await measureSlow(subject) : undefined,
    memory: memoryOf(service.pid),
  };
}

/** One after the other for the time that one takes, then several at once for what the hashing allows. */
async function measureLogin(subject: Subject): Promise<SizeResult['login']> {
  say(subject, 'logins');
  const requests = logins(subject.size, LOGINS).map(wire);
  const load = async (connections: number) => {
    const streams = [{ requests, connections, expected: [200] }];
    const { port } = subject.service;
    const result = await subject.generator.run({ ports: [port], milliseconds: 30_000, mostRequests: LOGINS, streams });
    return result.streams[0] as StreamResult;
  };
  const { medianMs } = await load(1);
  const { perSecond } = await load(LOGINS_AT_ONCE);
  return { medianMs, perSecond };
}

async function measurePages(subject: Subject): Promise<PageResult[]> {
  const { size, service, reference, generator, plan } = subject;
  const small = firstPages(REFERENCE_SIZE);
  const results: PageResult[] = [];
  for (const [index, { title, request }] of firstPages(size).entries()) {
    say(subject, `first page, ${title}`);
    const { body } = await record(service.port, request);
    const load = async (port: number, what: Request, milliseconds: number) => {
      const streams = [{ requests: [wire(what)], connections: 1, expected: [200] }];
      const result = await generator.run({ ports: [port], milliseconds, mostRequests: NO_LIMIT, streams });
      return (result.streams[0] as StreamResult).medianMs;
    };
    const here = () => load(service.port, request, plan.pageRoundMs);
    const there = () => reference && load(reference.port, (small[index] as NamedRequest).request, plan.pageRoundMs);
    await there();
    await here();
    const rounds: { here: number; there: number | undefined }[] = [];
    for (let round = 0; round < plan.rounds; round++) rounds.push({ there: await there(), here: await here() });
    const compared = rounds.flatMap(({ here, there }) => (there === undefined ? [] : [{ here, there }]));
    results.push({
      title,
      rows: JSON.parse(body).pagination.count,
      medianMs: median(rounds.map((round) => round.here)),
      reference:
        compared.length === 0
          ? undefined
          : {
              medianMs: median(compared.map((round) => round.there)),
              times: median(compared.map((round) => round.here / round.there)),
            },
    });
  }
  return results;
}

/** One connection asks for what is slow, without a pause; another one reads single operators meanwhile. */
async function measureSlow({ size, service, generator, plan }: Subject): Promise<SizeResult['slow']> {
  const single = { requests: singleReads(size).map(wire), connections: 1, expected: [200] };
  const load = { ports: [service.port], milliseconds: plan.slowMs, mostRequests: NO_LIMIT };
  const alone = await generator.run({ ...load, streams: [single] });
  const reads: SlowResult[] = [];
  for (const { title, request } of slowReads(size)) {
    say({ size }, `slow reads, ${title}`);
    // A read that would take too long is refused with 503; that is an answer too.
    const slow = { requests: [wire(request)], connections: 1, expected: [200, 503] };
    const { streams } = await generator.run({ ...load, streams: [slow, single] });
    const [ofSlow, ofSingle] = streams as [StreamResult, StreamResult];
    reads.push({
      title,
      medianMs: ofSlow.medianMs,
      givenUp: ofSlow.byStatus[503] ?? 0,
      requests: ofSlow.requests,
      singleP99Ms: ofSingle.p99Ms,
    });
  }
  return { aloneP99Ms: (alone.streams[0] as StreamResult).p99Ms, reads };
}

function say(subject: Pick<Subject, 'size'>, text: string): void {
  progress(`${nameOf(subject)}: ${text}`);
}

function nameOf({ size }: Pick<Subject, 'size'>): string {
  return `${size.toLocaleString('en')} operators`;
}
