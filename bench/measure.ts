import {
  firstPages,
  loginRequests,
  type NamedRequest,
  RATIO_CASES,
  type Request,
  recordResponse,
  serializeRequest,
  singleReads,
  slowReads,
} from './cases.ts';
import type { StreamResult } from './load.ts';
import { type LoadGenerator, readMemoryMb, type Server } from './processes.ts';
import { showProgress } from './progress.ts';
import { logInAsAdmin, measureRatio, median, NO_LIMIT, type RatioResult } from './ratio.ts';

/** First pages of larger accounts are compared with those of an account of this size. */
export const REFERENCE_SIZE = 1000;

/** Below the limit of 100 logins per minute and address, including the logins of other cases. */
const LOGIN_COUNT = 40;
const MAX_CONCURRENT_LOGINS = 4;

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
  /** The service with plain graphql-js execution, on the same data. */
  readonly plain: Server | undefined;
  /** The service on the smallest account; undefined if that is the subject itself. */
  readonly reference: Server | undefined;
  readonly generator: LoadGenerator;
  readonly folder: string;
  readonly plan: Plan;
}

export interface PageResult {
  readonly title: string;
  readonly rows: number;
  readonly medianMs: number;
  /** The latency at the smallest size, measured in the same rounds, and the slowdown compared to it. */
  readonly reference: { readonly medianMs: number; readonly slowdown: number } | undefined;
}

export interface SlowResult {
  readonly title: string;
  readonly medianMs: number;
  readonly timedOut: number;
  readonly requests: number;
  readonly singleP99Ms: number;
}

export interface SizeResult {
  readonly size: number;
  readonly ratios: readonly RatioResult[];
  readonly login: { readonly medianMs: number; readonly perSecond: number } | undefined;
  readonly pages: readonly PageResult[];
  readonly slow: { readonly idleP99Ms: number; readonly reads: readonly SlowResult[] } | undefined;
  /** MB after the load; undefined if the system does not report it. */
  readonly memory: number | undefined;
}

/** Runs all selected cases on one account. */
export async function measure(subject: Subject): Promise<SizeResult> {
  const { size, service, plan } = subject;
  const [login] = loginRequests(size, 1);
  const token = JSON.parse((await recordResponse(service.port, login as Request)).body).access_token as string;
  const ratios: RatioResult[] = [];
  for (const ratioCase of RATIO_CASES) {
    if (!plan.cases.has(ratioCase.name)) continue;
    const compared = { ...subject, name: formatName(subject), nodes: [service] };
    ratios.push(await measureRatio(compared, ratioCase, ratioCase.plain ? await logInAsAdmin(service) : token));
  }
  return {
    size,
    ratios,
    login: plan.cases.has('login') ? await measureLogin(subject) : undefined,
    pages: plan.cases.has('pages') ? await measurePages(subject) : [],
    slow: plan.cases.has('slow') ? await measureSlow(subject) : undefined,
    memory: readMemoryMb(service.pid),
  };
}

/** Logs in sequentially to measure the latency, then concurrently to measure the throughput of password hashing. */
async function measureLogin(subject: Subject): Promise<SizeResult['login']> {
  reportProgress(subject, 'logins');
  const requests = loginRequests(subject.size, LOGIN_COUNT).map(serializeRequest);
  const load = async (connections: number) => {
    const streams = [{ requests, connections, expected: [200] }];
    const { port } = subject.service;
    const result = await subject.generator.run({
      ports: [port],
      milliseconds: 30_000,
      maxRequests: LOGIN_COUNT,
      streams,
    });
    return result.streams[0] as StreamResult;
  };
  const { medianMs } = await load(1);
  const { perSecond } = await load(MAX_CONCURRENT_LOGINS);
  return { medianMs, perSecond };
}

async function measurePages(subject: Subject): Promise<PageResult[]> {
  const { size, service, reference, generator, plan } = subject;
  const referencePages = firstPages(REFERENCE_SIZE);
  const results: PageResult[] = [];
  for (const [index, { title, request }] of firstPages(size).entries()) {
    reportProgress(subject, `first page, ${title}`);
    const { body } = await recordResponse(service.port, request);
    const load = async (port: number, pageRequest: Request, milliseconds: number) => {
      const streams = [{ requests: [serializeRequest(pageRequest)], connections: 1, expected: [200] }];
      const result = await generator.run({ ports: [port], milliseconds, maxRequests: NO_LIMIT, streams });
      return (result.streams[0] as StreamResult).medianMs;
    };
    const loadService = () => load(service.port, request, plan.pageRoundMs);
    const loadReference = () =>
      reference && load(reference.port, (referencePages[index] as NamedRequest).request, plan.pageRoundMs);
    await loadReference();
    await loadService();
    const rounds: { serviceMs: number; referenceMs: number | undefined }[] = [];
    for (let round = 0; round < plan.rounds; round++)
      rounds.push({ referenceMs: await loadReference(), serviceMs: await loadService() });
    const compared = rounds.flatMap(({ serviceMs, referenceMs }) =>
      referenceMs === undefined ? [] : [{ serviceMs, referenceMs }],
    );
    results.push({
      title,
      rows: JSON.parse(body).pagination.count,
      medianMs: median(rounds.map((round) => round.serviceMs)),
      reference:
        compared.length === 0
          ? undefined
          : {
              medianMs: median(compared.map((round) => round.referenceMs)),
              slowdown: median(compared.map((round) => round.serviceMs / round.referenceMs)),
            },
    });
  }
  return results;
}

/** One connection repeats the slow read while another one reads single operators. */
async function measureSlow({ size, service, generator, plan }: Subject): Promise<SizeResult['slow']> {
  const single = { requests: singleReads(size).map(serializeRequest), connections: 1, expected: [200] };
  const load = { ports: [service.port], milliseconds: plan.slowMs, maxRequests: NO_LIMIT };
  const alone = await generator.run({ ...load, streams: [single] });
  const reads: SlowResult[] = [];
  for (const { title, request } of slowReads(size)) {
    reportProgress({ size }, `slow reads, ${title}`);
    // A read that takes too long gets 503, which is allowed here.
    const slow = { requests: [serializeRequest(request)], connections: 1, expected: [200, 503] };
    const { streams } = await generator.run({ ...load, streams: [slow, single] });
    const [slowResult, singleResult] = streams as [StreamResult, StreamResult];
    reads.push({
      title,
      medianMs: slowResult.medianMs,
      timedOut: slowResult.byStatus[503] ?? 0,
      requests: slowResult.requests,
      singleP99Ms: singleResult.p99Ms,
    });
  }
  return { idleP99Ms: (alone.streams[0] as StreamResult).p99Ms, reads };
}

function reportProgress(subject: Pick<Subject, 'size'>, text: string): void {
  showProgress(`${formatName(subject)}: ${text}`);
}

function formatName({ size }: Pick<Subject, 'size'>): string {
  return `${size.toLocaleString('en')} operators`;
}
