import { Client } from '../../simulate/client.ts';
import { type DrainJob, type DrainResult, drain } from './drain.ts';
import { type ThroughputJob, type ThroughputResult, throughput } from './throughput.ts';

/** The people of the engine's cases, in a process of their own: what they cost is not the service's. */

export type Job = ThroughputJob | DrainJob;

export type JobResult = (ThroughputResult | DrainResult) & {
  /** The share of one processor that this process used: near 1 it measures itself. */
  readonly generatorBusy: number;
};

process.on('message', (job: Job) => {
  const before = process.cpuUsage();
  const start = performance.now();
  const client = new Client({ urls: job.urls, believesAddresses: false });
  const work: Promise<ThroughputResult | DrainResult> =
    job.kind === 'throughput' ? throughput(client, job) : drain(client, job);
  work
    .then((result) => {
      const used = process.cpuUsage(before);
      const generatorBusy = (used.user + used.system) / 1000 / (performance.now() - start);
      process.send?.({ result: { ...result, generatorBusy } });
    })
    .catch((error) => process.send?.({ error: String(error.stack ?? error) }))
    .finally(() => client.close());
});
