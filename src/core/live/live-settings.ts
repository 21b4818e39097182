import type { Channel } from '../kernel/channels.ts';

/** The operator settings that routing uses. */
export type LiveSettings = {
  readonly groupId: number | null;
  readonly websiteList: readonly number[];
  readonly skillList: readonly number[];
  readonly languageList: readonly string[];
  readonly chatMaxNumber: number;
  readonly chatAndCall: boolean;
  readonly chatToVideo: boolean;
} & { readonly [name in `${Channel}Enabled`]: boolean } & { readonly [name in `${Channel}Priority`]: number };

export function toSettingsColumns(settings: LiveSettings) {
  return {
    namedOnly: settings.groupId !== null || settings.skillList.length > 0 ? 1 : 0,
    groupId: settings.groupId,
    websiteList: JSON.stringify(settings.websiteList),
    skillList: JSON.stringify(settings.skillList),
    languageList: JSON.stringify(settings.languageList),
    chatEnabled: Number(settings.chatEnabled),
    callEnabled: Number(settings.callEnabled),
    videoEnabled: Number(settings.videoEnabled),
    chatMaxNumber: settings.chatMaxNumber,
    chatAndCall: Number(settings.chatAndCall),
    chatToVideo: Number(settings.chatToVideo),
    chatPriority: settings.chatPriority,
    callPriority: settings.callPriority,
    videoPriority: settings.videoPriority,
  };
}

/** The other columns of a new operator: offline, idle and unavailable. */
export const INITIAL_COLUMNS = {
  version: 1,
  leaseUntil: 0,
  routableUntil: 0,
  keptOffline: 0,
  takenOffline: null,
  pauseReason: null,
  chatChanged: null,
  callChanged: null,
  videoChanged: null,
  lostAt: null,
  assignedAt: 0,
  chatMissed: 0,
  callMissed: 0,
  videoMissed: 0,
  firstLoginAt: null,
  chatAvailable: 0,
  callAvailable: 0,
  videoAvailable: 0,
  chatSlots: 0,
  callSlots: 0,
  videoSlots: 0,
};
