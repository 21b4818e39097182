/**
 * The whole schema on one page. Names are camelCase here and snake_case in SQL. Every table that belongs to an
 * account leads with `accountId` in its key, so that accounts can be distributed over machines later.
 * Booleans are 0/1, times are epoch milliseconds, lists are JSON text: the same on every database.
 */
export interface Tables {
  accounts: {
    id: number;
    name: string;
    lang: string;
    premiumEnabled: number;
    createdAt: number;
    /** Position of the newest event; taken as the last statement of every transaction that emits. */
    eventPosition: number;
    /** Kept, not counted: the first page of a list must not cost more in a large account. */
    operatorCount: number;
    adminCount: number;
  };
  /** The last identifier given out, per account and kind of thing; identifiers are never used twice. */
  counters: { accountId: number; name: string; value: number };

  /** The one table without an account in its key: an e-mail is unique on the whole platform, as it is the login. */
  logins: { emailFolded: string; accountId: number; operatorId: number; passwordHash: string | null };
  accessTokens: {
    tokenHash: string;
    accountId: number;
    operatorId: number;
    issuedAt: number;
    expiresAt: number;
  };
  apiKeys: {
    accountId: number;
    id: number;
    name: string;
    prefix: string;
    keyHash: string;
    access: 'read' | 'write';
    createdAt: number;
    expiresAt: number | null;
    lastUsedAt: number | null;
    revokedAt: number | null;
  };
  /** How often a key used something of the deprecated interface; `what` is its name in the migration meter. */
  restUsage: {
    accountId: number;
    keyId: number;
    what: string;
    count: number;
    firstUsedAt: number;
    lastUsedAt: number;
  };
  /** One row per user and per address that tried to log in lately; `attempts` is a JSON list of times. */
  loginWindows: { subject: string; attempts: string; endsAt: number };
  idempotencyKeys: {
    accountId: number;
    credential: string;
    keyHash: string;
    requestHash: string;
    status: number;
    location: string | null;
    body: string;
    createdAt: number;
  };

  websites: {
    accountId: number;
    id: number;
    url: string;
    urlFolded: string;
    label: string;
    labelFolded: string;
    currency: string;
    languageAdmin: string;
    timezone: string;
    operatorCount: number;
  };
  groups: {
    accountId: number;
    id: number;
    name: string;
    nameFolded: string;
    parentId: number | null;
    position: number;
    createdAt: number;
    operatorCount: number;
  };
  skills: {
    accountId: number;
    id: number;
    name: string;
    nameFolded: string;
    parentId: number | null;
    position: number;
    createdAt: number;
    operatorCount: number;
  };

  /** Who the operator is. What routing decides with is in `operatorLive`, and nowhere else. */
  operators: {
    accountId: number;
    id: number;
    /** Grows with every change of what a read of the operator shows. */
    version: number;
    name: string;
    nameFolded: string;
    firstName: string;
    pseudo: string;
    email: string;
    emailFolded: string;
    externalId: string | null;
    externalIdFolded: string | null;
    roles: string;
    languageList: string;
    languageAdmin: string;
    groupId: number | null;
    websiteList: string;
    skillList: string;
    callConfig: string;
    ssoVersion: number;
    createdAt: number;
  };
  operatorWebsites: { accountId: number; websiteId: number; operatorId: number };
  operatorSkills: { accountId: number; skillId: number; operatorId: number };
  /** One row per operator with all counters, maxima, flags and the lease's end: one conditional update claims a slot. */
  operatorLive: {
    accountId: number;
    operatorId: number;
    /** Grows with every change of what a read of the live state shows, except the passing of time. */
    version: number;
    /** Connected means that this lies in the future, by the database's clock. */
    leaseUntil: number;
    firstLoginAt: number | null;
    /** 1 when the operator holds a skill or belongs to a group: then a live list must name them. */
    namedOnly: number;
    chatEnabled: number;
    callEnabled: number;
    videoEnabled: number;
    chatAvailable: number;
    callAvailable: number;
    videoAvailable: number;
    chatSlots: number;
    callSlots: number;
    videoSlots: number;
    chatMaxNumber: number;
    chatAndCall: number;
    chatToVideo: number;
    chatPriority: number;
    callPriority: number;
    videoPriority: number;
  };
  operatorLeases: { accountId: number; operatorId: number; leaseId: string; expiresAt: number };
  operatorProfiles: {
    accountId: number;
    operatorId: number;
    status: string;
    description: string;
    facebook: string;
    twitter: string;
    city: string;
    country: string;
  };

  conversations: {
    accountId: number;
    id: number;
    channel: 'chat' | 'call' | 'video';
    websiteId: number;
    skillId: number | null;
    groupId: number | null;
    operatorId: number | null;
    language: string;
    state: 'queued' | 'offered' | 'active' | 'closed';
    createdAt: number;
    acceptedAt: number | null;
    firstAnswerAt: number | null;
    closedAt: number | null;
  };
  satisfactions: {
    accountId: number;
    id: number;
    conversationId: number;
    websiteId: number;
    operatorId: number | null;
    noteWelcome: number;
    noteResolution: number;
    noteDelay: number;
    comment: string;
    createdAt: number;
  };

  events: {
    accountId: number;
    position: number;
    type: string;
    subjectType: string;
    subjectId: number;
    actorType: string;
    actorId: number | null;
    at: number;
    /** JSON: the changed fields; the values of personal and secret ones are left out. */
    changes: string;
  };
  migrations: { name: string; appliedAt: number };
}
