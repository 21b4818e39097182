import type { FastifyInstance } from 'fastify';
import { unknownId } from '../../core/kernel/errors.ts';
import type { OperatorQuery } from '../../core/operators/operator-query.ts';
import type { RestUsage } from '../../core/reports/rest-usage.ts';
import { type Statistics, statisticsSchema } from '../../core/reports/statistics.ts';
import { sendJson, single } from './envelope.ts';
import { ReadMeter, singleUses } from './meter.ts';
import { readQuery, singleSelection } from './query.ts';
import { pathId, renderPart } from './resource.ts';

export function registerOperatorStatistic(
  app: FastifyInstance,
  operators: OperatorQuery,
  statistics: Statistics,
  usage: RestUsage,
): void {
  const meter = new ReadMeter(usage, singleUses('operator', statisticsSchema));

  app.get('/operator/:id/statistic', async (request, reply) => {
    const id = pathId(request, 'operator');
    const { accountId } = request.caller;
    if (!(await operators.stamp(accountId, id))) throw unknownId('operator', id);
    const [figures] = await statistics.of(accountId, { subject: 'operator', ids: [id] });
    const data = {
      id,
      conversation_number: figures?.conversationNumber ?? 0,
      satisfaction_global_rate: figures?.satisfactionRate ?? 0,
      experience: figures?.experience ?? 0,
    };
    meter.count(request);
    return sendJson(reply, 200, single(renderPart(data, singleSelection(readQuery(request)))));
  });
}
