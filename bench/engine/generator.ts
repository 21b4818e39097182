import { HttpClient } from '../../simulate/http-client.ts';
import { type DistanceJob, type DistanceJobResult, runDistanceJob } from '../distance/distance-job.ts';
import { type DeskMemoryJob, type DeskMemoryResult, runDeskMemoryJob } from '../goals/desk-memory-job.ts';
import { runVisitorJob, type VisitorJob, type VisitorResult } from '../visitors/visitor-job.ts';
import { type QueueJob, type QueueResult, runQueueJob } from './queue.ts';
import { runThroughput, type ThroughputJob, type ThroughputResult } from './throughput.ts';

/** Simulated operators and visitors in a separate process, so that the service does not pay for them. */

export type Job = ThroughputJob | QueueJob | VisitorJob | DistanceJob | DeskMemoryJob;

export type JobResult = (ThroughputResult | QueueResult | VisitorResult | DistanceJobResult | DeskMemoryResult) & {
  /** The share of one processor that this process used. Near 1, the generator is the bottleneck. */
  readonly generatorUtilization: number;
};

process.on('message', (job: Job) => {
  const before = process.cpuUsage();
  const start = performance.now();
  const client = new HttpClient({ urls: job.urls, trustsForwardedFor: false });
  runOnce(client, job)
    .then((result) => {
      const usage = process.cpuUsage(before);
      const generatorUtilization = (usage.user + usage.system) / 1000 / (performance.now() - start);
      process.send?.({ result: { ...result, generatorUtilization } });
    })
    .catch((error) => process.send?.({ error: String(error.stack ?? error) }))
    .finally(() => client.close());
});

function runOnce(client: HttpClient, job: Job) {
  switch (job.kind) {
    case 'throughput':
      return runThroughput(client, job);
    case 'queue':
      return runQueueJob(client, job);
    case 'visitors':
      return runVisitorJob(client, job);
    case 'distance':
      return runDistanceJob(client, job);
    case 'desk-memory':
      return runDeskMemoryJob(client, job);
  }
}
