import type { EventLog } from '../../core/events/event-log.ts';
import type { Signal } from '../../core/signals/signal.ts';
import type { Signals } from '../../core/signals/signals.ts';

interface SignalSource {
  readonly signals: Signals;
  readonly log: EventLog;
  readonly accountId: number;
  readonly conversationId: number;
  /** Returns false after the conversation has ended. Throws if the caller cannot see it any more. */
  isRunning(): Promise<boolean>;
}

/**
 * The signals of a conversation, until it ends or the caller loses it. The event log says when the conversation changes:
 * access is not checked for every signal.
 */
export async function* streamConversationSignals(
  { signals, log, accountId, conversationId, isRunning }: SignalSource,
  stop: AbortSignal,
): AsyncGenerator<Signal> {
  const listener = signals.listen(accountId, { conversationId });
  const end = new AbortController();
  const close = () => listener.close();
  stop.addEventListener('abort', close);
  const watch = async (start: number) => {
    const ended = AbortSignal.any([stop, end.signal]);
    for await (const events of log.follow(accountId, start, ended, [`conversation:${conversationId}`]))
      if (events.some(({ type }) => type !== 'message.created') && !(await isRunning())) return;
  };
  try {
    const start = await log.readPosition(accountId);
    if (!(await isRunning()) || stop.aborted) return;
    watch(start).then(close, (error) => listener.close(error));
    yield* listener.receive();
  } finally {
    stop.removeEventListener('abort', close);
    end.abort();
    listener.close();
  }
}
