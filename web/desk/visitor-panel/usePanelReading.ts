import type { Answer } from '../../shared/api/request.ts';
import { type Reading, useReading } from '../../shared/api/useReading.ts';
import { useReadings } from '../conversation/memory/ConversationMemory.tsx';
import { useIsLost } from '../useIsLost.ts';

export interface PanelReading<Value> extends Reading<Value> {
  /** The connection is lost, which the desk says at its top: it is read as soon as the connection is back. */
  readonly isLost: boolean;
}

/** Without a connection it is what was read last, also when another conversation was open meanwhile. */
export function usePanelReading<Value>(key: string, read: () => Promise<Answer<Value>>): PanelReading<Value> {
  const readings = useReadings();
  const { value, failure, reload } = useReading(key, async () => {
    const answer = await read();
    if (answer.ok) readings.set(key, answer.value);
    return answer;
  });
  const isLost = useIsLost(failure, reload);
  if (!isLost) return { value, failure, isLost, reload };
  return { value: value ?? (readings.get(key) as Value | undefined), failure: undefined, isLost, reload };
}
