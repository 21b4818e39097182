import type { z } from 'zod';
import type { Profile } from '../../../core/administration/profile.ts';
import type { groupSchema, skillSchema } from '../../../core/directory/tree.ts';
import type { websiteSchema } from '../../../core/directory/website.ts';
import type { OperatorLive } from '../../../core/live/live.ts';
import type { operatorSchema } from '../../../core/operators/operator.ts';
import type { OperatorStatistics } from '../../../core/reports/statistics.ts';
import type { clientSchema } from '../client.ts';
import type { conversationSchema } from '../conversation.ts';
import type { satisfactionSchema } from '../satisfaction.ts';
import type { statisticSchema } from '../statistic.ts';
import type { tagSchema } from '../tag.ts';
import type { visitorSchema } from '../visitor.ts';

/** Examples in camel case, so that the compiler checks them against the schemas. The document shows snake case. */
export const operator: z.output<typeof operatorSchema> = {
  id: 42,
  name: 'Martin',
  firstName: 'Alice',
  pseudo: 'Alice M.',
  email: 'alice.martin@example.com',
  externalId: 'crm-1001',
  role: 'manager',
  roles: ['operator', 'manager'],
  chatEnabled: true,
  callEnabled: true,
  videoEnabled: false,
  chatMaxNumber: 3,
  chatAndCall: false,
  chatToVideo: false,
  chatPriority: 10,
  callPriority: 0,
  videoPriority: 0,
  languageList: ['en', 'fr'],
  languageAdmin: 'en',
  groupId: 3,
  websiteList: [1, 2],
  skillList: [5],
  ssoKey: null,
  callConfig: { type: 'ANSWER_FROM_PHONE', askPhoneNumberAtEveryConnection: false, phoneNumber: '+33123456789' },
};

export const live: OperatorLive = {
  id: 42,
  connected: true,
  chat: { enabled: true, slotNumber: 1, slotMaxNumber: 3, busy: false, available: true },
  call: { enabled: true, slotNumber: 0, slotMaxNumber: 1, busy: true, available: true },
  video: { enabled: false, slotNumber: 0, slotMaxNumber: 1, busy: true, available: false },
};

export const statistics: OperatorStatistics = {
  id: 42,
  conversationNumber: 128,
  satisfactionGlobalRate: 0.86,
  experience: 1210,
};

export const profile: Profile = {
  userId: 42,
  status: 'Here to help',
  description: 'Knows everything about returns.',
  facebook: 'alice.martin',
  twitter: 'alicem',
  city: 'Lyon',
  country: 'France',
};

export const client: z.output<typeof clientSchema> = { id: 1, lang: 'en', premiumEnabled: false };

export const website: z.output<typeof websiteSchema> = {
  id: 1,
  url: 'https://www.example.com',
  label: 'Shop',
  clientId: 1,
  currency: 'EUR',
  languageAdmin: 'en',
  timezone: 'Europe/Paris',
};

export const group: z.output<typeof groupSchema> = {
  id: 3,
  name: 'Sales',
  createdAt: '2026-01-31 09:30:00',
  parentId: 1,
  parentList: [1],
  operatorList: [41, 42],
};

export const skill: z.output<typeof skillSchema> = {
  id: 5,
  name: 'Returns',
  order: 10,
  createdAt: '2026-01-31 09:30:00',
  parentId: null,
  operatorList: [42],
};

export const conversation: z.output<typeof conversationSchema> = {
  id: 815,
  channel: 'chat',
  visitorUid: '0a1572b7cc5027fe443f4203eaf0b98d',
  history: [
    [2, '2026-01-31 09:30:00', 'Where is my parcel?', 1769851800000],
    [1, '2026-01-31 09:30:15', 'Hello! May I have the number?', 1769851815000],
    [3, '2026-01-31 09:31:00', 'The operator lost the connection. Please wait a moment.', 1769851860000],
  ],
  operatorAnswer: true,
  operatorClosed: true,
  waitinglist: false,
  createdAt: '2026-01-31 09:30:00',
  closedAt: '2026-01-31 09:41:00',
  websiteId: 1,
  operatorId: 42,
  skillId: 5,
  tagList: [7],
};

export const visitor: z.output<typeof visitorSchema> = {
  id: 560,
  uniqueId: '0a1572b7cc5027fe443f4203eaf0b98d',
  externalId: 'customer-77',
  lastname: 'Doe',
  firstname: 'Jane',
  address: '1 Rue de Rivoli',
  city: 'Paris',
  zip: '75001',
  country: 'France',
  phone: '+33123456789',
  email: 'jane.doe@example.com',
  browser: 'Firefox 140',
  websiteId: [1],
  createdAt: '2026-01-31 09:29:50',
};

export const satisfaction: z.output<typeof satisfactionSchema> = {
  id: 301,
  noteWelcome: 5,
  noteResolution: 4,
  nodeDelay: 5,
  comment: 'Quick and friendly.',
  createdAt: '2026-01-31 09:45:00',
  websiteId: 1,
  operatorId: 42,
  conversationId: 815,
};

export const tag: z.output<typeof tagSchema> = { id: 7, name: 'Refund', websiteId: [1, 2] };

export const statistic: z.output<typeof statisticSchema> = {
  conversationNumber: 128,
  answeredNumber: 121,
  firstAnswerSeconds: 7.25,
  waitingSeconds: 11.5,
  abandonedNumber: 9,
  refusedNumber: 2,
  satisfactionRate: 0.86,
  experience: 1210,
  connectedSeconds: 576000,
  contactNumber: 128,
  contactDuration: 412.5,
  contactWaitingDuration: 38.2,
  contactWaitingNumber: 31,
  contactSimultaneousNumber: 1.72,
};
