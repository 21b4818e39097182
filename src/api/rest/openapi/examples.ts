import type { z } from 'zod';
import type { OperatorLive } from '../../../core/availability/live.ts';
import type { OperatorStatistics } from '../../../core/conversations/statistics.ts';
import type { groupSchema, skillSchema } from '../../../core/directory/tree.ts';
import type { Website } from '../../../core/directory/website.ts';
import type { operatorSchema } from '../../../core/operators/operator.ts';
import type { Profile } from '../../../core/operators/profile.ts';
import type { clientSchema } from '../client.ts';

/** Examples in the words of the code, so that the compiler holds them to the schemas; the document shows them as on the wire. */
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

export const website: Website = {
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
