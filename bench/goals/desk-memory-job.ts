import { setTimeout as wait } from 'node:timers/promises';
import type { HttpClient } from '../../simulate/http-client.ts';
import { Desks } from '../engine/clients.ts';
import { type MeasuredProcess, readServiceMemory, type ServiceMemory } from '../visitors/memory.ts';

/** The memory of the service before and after desks are opened. */

export interface DeskMemoryJob {
  readonly kind: 'desk-memory';
  readonly urls: readonly string[];
  readonly service: MeasuredProcess;
  readonly operators: readonly number[];
}

export interface DeskMemoryResult {
  readonly kind: 'desk-memory';
  readonly atRest: ServiceMemory;
  readonly withDesks: ServiceMemory;
}

const SETTLE_MS = 3000;

export async function runDeskMemoryJob(client: HttpClient, job: DeskMemoryJob): Promise<DeskMemoryResult> {
  await wait(SETTLE_MS);
  const atRest = await readServiceMemory(job.service);
  const desks = new Desks();
  await desks.open(client, job.operators);
  await wait(SETTLE_MS);
  const withDesks = await readServiceMemory(job.service);
  await desks.close();
  return { kind: 'desk-memory', atRest, withDesks };
}
