import type { Generated } from 'kysely';

/** What an operator can take and has, on each channel. */
interface LiveColumns {
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
}

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
    /** Conversations go to the chosen operator at once, without an offer. */
    autoAccept: Generated<number>;
    /** How long an offer waits for an answer. */
    offerSeconds: Generated<number>;
    /** So many conversations wait at most. */
    queueLimit: Generated<number>;
    lowestPriorityFirst: Generated<number>;
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
  /** One row for everybody and every address that did something limited lately; `attempts` is a JSON list of times. */
  rateWindows: { subject: string; attempts: string; endsAt: number };
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
    /** JSON list: from where visitors may come; empty means the website's own address. */
    allowedOrigins: Generated<string>;
    /** The secret that vouches for visitors is derived from it and in no table. */
    secretVersion: Generated<number>;
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
  operatorLive: LiveColumns & {
    accountId: number;
    operatorId: number;
    /** Grows with every change of what a read of the live state shows, except the passing of time. */
    version: number;
    /** Connected means that this lies in the future, by the database's clock. */
    leaseUntil: number;
    /** The same for the leases of those who are really there: one in its grace keeps connected, but gets nothing. */
    routableUntil: Generated<number>;
    /** 1 after somebody else took the operator offline: only their own explicit connect ends it. */
    keptOffline: Generated<number>;
    /** Since when an operator with running conversations is away. */
    lostAt: number | null;
    /** When a conversation was last given to them. */
    assignedAt: Generated<number>;
    /** Offers that timed out in a row. */
    chatMissed: Generated<number>;
    callMissed: Generated<number>;
    videoMissed: Generated<number>;
    /** Where they belong, as the operator's own row says it, for routing to look at one row only. */
    groupId: number | null;
    websiteList: Generated<string>;
    skillList: Generated<string>;
    languageList: Generated<string>;
    firstLoginAt: number | null;
    /** 1 when the operator holds a skill or belongs to a group: then a live list must name them. */
    namedOnly: number;
  };
  operatorLeases: {
    accountId: number;
    operatorId: number;
    leaseId: string;
    expiresAt: number;
    inGrace: Generated<number>;
  };
  /** Every change of a live state, never changed afterwards: what it was from then on, who did it, and why. */
  liveHistory: LiveColumns & {
    accountId: number;
    operatorId: number;
    version: number;
    at: number;
    kind: string;
    reason: string | null;
    actorType: string;
    actorId: number | null;
    connected: number;
    inGrace: number;
    assignedAt: number;
    groupId: number | null;
    websiteList: string;
    skillList: string;
    languageList: string;
    /** The newest routing decision when it was written: tells which of the two came first, also within a millisecond. */
    afterDecision: Generated<number>;
  };
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

  visitors: {
    accountId: number;
    id: number;
    uniqueId: string;
    externalId: string | null;
    externalIdFolded: string | null;
    lastname: string;
    firstname: string;
    address: string;
    city: string;
    zip: string;
    country: string;
    phone: string;
    email: string;
    browser: string;
    websiteList: string;
    lastOperatorId: number | null;
    createdAt: number;
    erasedAt: number | null;
  };
  visitorWebsites: { accountId: number; websiteId: number; visitorId: number };
  visitorTokens: {
    tokenHash: string;
    accountId: number;
    visitorId: number;
    websiteId: number;
    language: string;
    issuedAt: number;
    expiresAt: number;
  };

  conversations: {
    accountId: number;
    id: number;
    visitorId: number | null;
    /** The visitor's own name for the start: a second sending is recognised by it. */
    clientId: string | null;
    channel: 'chat' | 'call' | 'video';
    websiteId: number;
    skillId: number | null;
    groupId: number | null;
    operatorId: number | null;
    language: string;
    state: 'queued' | 'offered' | 'active' | 'closed';
    createdAt: number;
    /** Its place in the queue: the moment at which it began, or a number before all moments for the head. */
    queueOrder: Generated<number>;
    /** 1 when nobody was free at once. */
    hasWaited: Generated<number>;
    offeredAt: number | null;
    offerUntil: number | null;
    acceptedAt: number | null;
    firstAnswerAt: number | null;
    closedAt: number | null;
    closedBy: 'operator' | 'visitor' | 'api_key' | 'system' | null;
    closedById: number | null;
    /** Also the sequence number of its newest message. */
    messageCount: Generated<number>;
    /** The chat of which this video is the continuation. */
    escalatedFromId: number | null;
    /** 1 when more than one operator has accepted it: then `handlings` has what each of them did. */
    changedHands: Generated<number>;
  };
  messages: {
    accountId: number;
    conversationId: number;
    sequence: number;
    /** The sender's own name for it: a second sending is recognised by it. */
    clientId: string | null;
    authorType: 'operator' | 'visitor' | 'notice';
    authorId: number | null;
    text: string;
    at: number;
  };
  /** What each operator did of a conversation that several have accepted, one after the other. */
  handlings: {
    accountId: number;
    conversationId: number;
    operatorId: number;
    acceptedAt: number;
    firstAnswerAt: number | null;
  };
  /** Who declined or missed an offer is not offered the same conversation again before this moment. */
  offerPauses: { accountId: number; conversationId: number; operatorId: number; until: number };
  routingDecisions: {
    accountId: number;
    id: number;
    conversationId: number;
    at: number;
    /** What made routing look: a start, a slot that became free, a transfer … */
    cause: string;
    operatorId: number | null;
    forced: number;
    need: string;
    ranked: string;
    excluded: string;
    actorType: string;
    actorId: number | null;
  };
  /** Conversations that were not taken at all, counted by day and reason. */
  refusals: { accountId: number; day: string; websiteId: number; reason: string; count: number };
  tags: {
    accountId: number;
    id: number;
    name: string;
    nameFolded: string;
    websiteList: string;
    createdAt: number;
  };
  tagWebsites: { accountId: number; websiteId: number; tagId: number };
  conversationTags: { accountId: number; conversationId: number; tagId: number };
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
    /** Through which interface, and from which address. */
    via: string | null;
    address: string | null;
  };
  /** One-time codes that a single sign-on exchanges for a token. */
  ssoCodes: { codeHash: string; accountId: number; operatorId: number; ssoVersion: number; expiresAt: number };
  webhooks: {
    accountId: number;
    id: number;
    name: string;
    url: string;
    /** JSON list of event types; empty means all. */
    eventTypes: string;
    /** Encrypted with a key derived from the installation's secret. */
    secret: string;
    previousSecret: string | null;
    previousUntil: number | null;
    state: 'active' | 'paused';
    pausedBecause: string | null;
    /** Up to where the event log was turned into deliveries. */
    position: number;
    /** The first failure after the last delivery. */
    failingSince: number | null;
    /** How many tries failed since the last delivery, and how many events were given up. */
    failedInRow: number;
    deadInRow: number;
    /** The receiver asked for quiet until then. */
    waitUntil: number | null;
    createdAt: number;
  };
  webhookDeliveries: {
    accountId: number;
    id: number;
    webhookId: number;
    position: number;
    type: string;
    subjectType: string;
    subjectId: number;
    body: string;
    state: 'pending' | 'delivered' | 'dead';
    attempts: number;
    /** When it is sent next. Null while an earlier one of its subject is on the way, and at the end. */
    nextAt: number | null;
    /** When it was sent first; its 24 hours run from here. */
    triedAt: number | null;
    createdAt: number;
    /** When it was delivered or given up. */
    endedAt: number | null;
    lastStatus: number | null;
    lastError: string | null;
  };
  migrations: { name: string; appliedAt: number; additive: Generated<number> };
}
