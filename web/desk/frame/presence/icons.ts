import type { IconPath } from '../../../shared/components/icons.ts';
import { CALL, CHAT, VIDEO } from '../../icons.ts';
import type { Channel } from '../../state/model.ts';

export const CHANNEL_ICONS: Readonly<Record<Channel, IconPath>> = { CHAT, CALL, VIDEO };
