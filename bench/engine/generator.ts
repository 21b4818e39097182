import { HttpClient } from '../../simulate/http-client.ts';
import { type DrainJob, type DrainResult, runDrain } from './drain.ts';
import { runThroughput, type ThroughputJob, type ThroughputResult } from './throughput.ts';

/** Simulated operators and visitors in a separate process, so that the service does not pay for them. */

export type Job = ThroughputJob | DrainJob;

export type JobResult = (ThroughputResult | DrainResult) & {
  /** The share of one processor that this process usage: near 1, the generator is the bottleneck. */
  readonly generatorBusy: number;
};

process.on('message', (job: Job) => {
  const before = process.cpuUsage();
  const start = performance.now();
  const client = new HttpClient({ urls: job.urls, trustsForwardedFor: false });
  const work: Promise<ThroughputResult | DrainResult> =
    job.kind === 'throughput' ? runThroughput(client, job) : runDrain(client, job);
  work
    .then((result) => {
      const usage = process.cpuUsage(before);
      const generatorBusy = (usage.user + usage.system) / 1000 / (performance.now() - start);
      process.send?.({ result: { ...result, generatorBusy } });
    })
    .catch((error) => process.send?.({ error: String(error.stack ?? error) }))
    .finally(() => client.close());
});
