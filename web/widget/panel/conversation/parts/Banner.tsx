import type { Chat } from '../../chat.ts';
import { Icon } from '../../parts/Icon.tsx';
import { OFFLINE } from './icons.ts';

/** While the connection is lost. Nothing is blocked meanwhile. */
export function Banner({ chat }: { readonly chat: Chat }) {
  if (!chat.state.isReconnecting) return null;
  return (
    <div class="banner" role="status">
      <Icon d={OFFLINE} />
      <span class="small">{chat.text('connectionLost')}</span>
    </div>
  );
}
