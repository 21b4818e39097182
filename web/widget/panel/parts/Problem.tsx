import type { Chat } from '../chat.ts';
import { FieldError } from './Field.tsx';

/** What went wrong with the last action. */
export function Problem({ chat }: { readonly chat: Chat }) {
  return <div role="alert">{chat.state.problem && <FieldError text={chat.state.problem} />}</div>;
}
