import type { IconPath } from '../../shared/components/icons.ts';

export const ARROW_DOWN: IconPath = 'M12 5v14m7-7-7 7-7-7';
export const CLIP: IconPath =
  'm16 6-8.414 8.586a2 2 0 0 0 2.829 2.829l8.414-8.586a4 4 0 1 0-5.657-5.657l-8.379 8.551a6 6 0 1 0 8.485 8.485l8.379-8.551';
export const CLOSE_CONVERSATION: IconPath = 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20m4 7-5.5 5.5L8 12';
export const CHEVRON_LEFT: IconPath = 'm15 18-6-6 6-6';
export const CROSS: IconPath = 'M18 6 6 18M6 6l12 12';
export const FILE: IconPath =
  'M6 22a2 2 0 0 1-2-2V4a2 2 0 0 1 2-2h8a2.4 2.4 0 0 1 1.704.706l3.588 3.588A2.4 2.4 0 0 1 20 8v12a2 2 0 0 1-2 2zM14 2v5a1 1 0 0 0 1 1h5M16 13H8M16 17H8M10 9H8';
export const LOCK: IconPath =
  'M5 11h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2v-7a2 2 0 0 1 2-2M7 11V7a5 5 0 0 1 10 0v4';
export const MORE: IconPath = 'M12 11.5v1M5 11.5v1M19 11.5v1';
export const NOTE: IconPath =
  'M13.4 2H6a2 2 0 0 0-2 2v16a2 2 0 0 0 2 2h12a2 2 0 0 0 2-2v-7.4M2 6h4M2 10h4M2 14h4M2 18h4M21.378 5.626a1 1 0 1 0-3.004-3.004l-5.01 5.012a2 2 0 0 0-.506.854l-.837 2.87a.5.5 0 0 0 .62.62l2.87-.837a2 2 0 0 0 .854-.506z';
export const PANEL: IconPath = 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2M15 3v18';
export const SEARCH: IconPath = 'm21 21-4.34-4.34M11 3a8 8 0 1 0 0 16 8 8 0 0 0 0-16';
export const SEEN: IconPath = 'M18 6 7 17l-5-5m20 0-7.5 7.5L13 16';
export const SEND: IconPath =
  'M3.714 3.048a.498.498 0 0 0-.683.627l2.843 7.627a2 2 0 0 1 0 1.396l-2.842 7.627a.498.498 0 0 0 .682.627l18-8.5a.5.5 0 0 0 0-.904zM6 12h16';
export const SLASH: IconPath = 'M5 3h14a2 2 0 0 1 2 2v14a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2M9 15l6-6';
export const SMILE: IconPath = 'M15 10V9m1.472 6a6 6 0 0 1-8.943 0M9 10V9m3-7a10 10 0 1 0 0 20 10 10 0 0 0 0-20';
export const TRANSFER: IconPath = 'm16 3 4 4-4 4M20 7H4m4 14-4-4 4-4M4 17h16';
