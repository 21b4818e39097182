import type { FastifyInstance } from 'fastify';
import { unknownId } from '../../core/kernel/errors.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { type Statistics, statisticsSchema } from '../../core/reports/statistics.ts';
import { renderSingle, sendJson } from './envelope.ts';
import { createSingleFeatureReader, ReadMeter } from './meter.ts';
import { readQuery, readSingleSelection } from './query.ts';
import { readPathId, renderSubresource } from './resource.ts';

export function registerOperatorStatistic(
  app: FastifyInstance,
  operators: OperatorQuery,
  statistics: Statistics,
  usage: RestUsage,
): void {
  const meter = new ReadMeter(usage, createSingleFeatureReader('operator', statisticsSchema));

  app.get('/operator/:id/statistic', async (request, reply) => {
    const id = readPathId(request, 'operator');
    const { accountId } = request.caller;
    if (!(await operators.loadStamp(accountId, id))) throw unknownId('operator', id);
    const [figures] = await statistics.compute(accountId, { subject: 'operator', ids: [id] });
    const data = {
      id,
      conversation_number: figures?.conversationNumber ?? 0,
      satisfaction_global_rate: figures?.satisfactionRate ?? 0,
      experience: figures?.experience ?? 0,
    };
    meter.count(request.caller, request.url);
    return sendJson(reply, 200, renderSingle(renderSubresource(data, readSingleSelection(readQuery(request)))));
  });
}
