import { useCallback, useEffect, useRef, useState } from 'react';
import type { Answer, Failure } from './request.ts';

export interface Reading<Value> {
  /** What was read last. It stays when a later attempt fails. */
  readonly value: Value | undefined;
  /** Why the last attempt failed. */
  readonly failure: Failure | undefined;
  readonly reload: () => Promise<void>;
}

interface LastReading<Value> extends Omit<Reading<Value>, 'reload'> {
  readonly key: string;
}

/** Reads what a view shows, and again with another key. An answer that is overtaken by a later one is dropped. */
export function useReading<Value>(key: string, read: () => Promise<Answer<Value>>): Reading<Value> {
  const [last, setLast] = useState<LastReading<Value>>({ key, value: undefined, failure: undefined });
  const currentRead = useRef(read);
  const turn = useRef(0);
  useEffect(() => {
    currentRead.current = read;
  });
  const reload = useCallback(async () => {
    turn.current += 1;
    const own = turn.current;
    const answer = await currentRead.current();
    if (own !== turn.current) return;
    setLast((before) => {
      if (answer.ok) return { key, value: answer.value, failure: undefined };
      return { key, value: before.key === key ? before.value : undefined, failure: answer.failure };
    });
  }, [key]);
  useEffect(() => {
    reload();
    return () => {
      turn.current += 1;
    };
  }, [reload]);
  const isCurrent = last.key === key;
  return { value: isCurrent ? last.value : undefined, failure: isCurrent ? last.failure : undefined, reload };
}
