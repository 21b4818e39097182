import type { Generated } from 'kysely';

/** Capacity and load of an operator on each channel. */
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
  /** Why the operator takes a pause, one of the account's reasons; counts only while no channel is available. */
  pauseReason: string | null;
}

/**
 * The whole schema. Names are camelCase here and snake_case in SQL. The keys of tables that belong to an account start
 * with `accountId`, so that accounts can be distributed over machines later; only the keys of logins, tokens and codes,
 * which find the account, do not. Booleans are 0/1, times are epoch
 * milliseconds, lists are JSON text: the same on every database.
 */
export interface Tables {
  accounts: {
    id: number;
    name: string;
    lang: string;
    premiumEnabled: number;
    createdAt: number;
    /** Position of the newest event; updated by the last statement of every transaction that emits events. */
    eventPosition: number;
    /** Stored, so that the first page of a list does not cost more in a large account. */
    operatorCount: number;
    adminCount: number;
    /** Conversations start immediately with the chosen operator, without an offer. */
    autoAccept: Generated<number>;
    /** Time until an offer expires. */
    offerSeconds: Generated<number>;
    /** Maximum number of queued conversations. */
    queueLimit: Generated<number>;
    lowestPriorityFirst: Generated<number>;
    /** Minutes without a message after which a running chat is closed; 0 for never. */
    idleMinutes: Generated<number>;
    /** JSON list of the media types that visitors and operators may send besides the usual ones. */
    attachmentKinds: Generated<string>;
    /** JSON list of the roles that must use two-factor authentication. */
    twoFactorRequired: Generated<string>;
    /** The page of the account's own sign-on, which the log-in page links to. */
    signOnUrl: string | null;
    /** Operators see the waiting conversations that they could serve, and may take them. */
    operatorsMayTake: Generated<number>;
    /** Operators who serve a visitor may read the visitor's earlier conversations. */
    shareVisitorHistory: Generated<number>;
    /** From when desks show a waiting time in the warning colour. */
    waitingWarningSeconds: Generated<number>;
    /** JSON list of the reasons for a pause that operators choose from. */
    pauseReasons: Generated<string>;
  };
  /** The last allocated identifier per account and kind; identifiers are never reused. */
  counters: { accountId: number; name: string; value: number };

  /**
   * The key does not contain the account: e-mail addresses are unique on the platform, because they identify the login.
   */
  logins: { emailFolded: string; accountId: number; operatorId: number; passwordHash: string | null };
  accessTokens: {
    tokenHash: string;
    accountId: number;
    operatorId: number;
    issuedAt: number;
    expiresAt: number;
    /** Counted per account. Null, like the following ones, if an earlier version issued the token. */
    id: number | null;
    kind: 'password' | 'sso' | null;
    /** Only for tokens from a single sign-on: they end when the key gets another version. */
    ssoVersion: number | null;
    /** Recorded about once a minute. */
    lastUsedAt: number | null;
    /** The user agent that logged in. */
    device: string | null;
    /** 1 for the session of a browser, whose secret is in a cookie; 0 for a bearer token. */
    isSession: Generated<number>;
    /** The network address that logged in; only for sessions. */
    address: string | null;
  };
  /** Newest for each e-mail address, known or not; bounded. */
  failedLogins: {
    id: string;
    at: number;
    /** HMAC of the folded address: what people type there may be a password. */
    emailDigest: string;
    address: string;
    /** The user agent. */
    device: string | null;
    reason: string;
  };
  /** An operator without a row, or without `enabledAt`, has no second factor. */
  twoFactors: {
    accountId: number;
    operatorId: number;
    /** Encrypted, bound to the operator. */
    secret: string | null;
    enabledAt: number | null;
    /** The time step of the last code that was accepted: this one and earlier ones are refused. */
    lastStep: number | null;
    /** Encrypted; becomes `secret` with the first code. */
    pendingSecret: string | null;
    pendingUntil: number | null;
  };
  /** Unused recovery codes: a keyed hash, deleted when the code is used. */
  recoveryCodes: { accountId: number; operatorId: number; codeHash: string };
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
  /** How often an API key used the deprecated interface; `what` is its name in the migration meter. */
  restUsage: {
    accountId: number;
    keyId: number;
    what: string;
    count: number;
    firstUsedAt: number;
    lastUsedAt: number;
  };
  /** Recent rate-limited attempts per user or address; `attempts` is a JSON list of times. */
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
    /** JSON list of the origins of visitors; empty means the origin of the URL. */
    allowedOrigins: Generated<string>;
    /** The secret that signs visitor identities is derived from it, not stored. */
    secretVersion: Generated<number>;
    /** JSON; null means always open. */
    openingHours: string | null;
    /** JSON of the settings that differ from the defaults. */
    widget: string | null;
    /** Minutes of the visitor's absence until a waiting conversation ends, 0 for never; the next one: a running one. */
    waitingAbsenceMinutes: Generated<number>;
    activeAbsenceMinutes: Generated<number>;
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

  /** Identity of operators. Routing uses only `operatorLive`. */
  operators: {
    accountId: number;
    id: number;
    /** Increments with every visible change of the operator. */
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
  /**
   * One row per operator with all counters, limits, flags and the lease's end, so that one conditional update claims a
   * slot.
   */
  operatorLive: LiveColumns & {
    accountId: number;
    operatorId: number;
    /** Increments with every visible change of the live state, except the passing of time. */
    version: number;
    /** The operator is connected while this is in the future, by the database's clock. */
    leaseUntil: number;
    /** Like `leaseUntil`, without leases in their grace period: these keep the operator connected, but not routable. */
    routableUntil: Generated<number>;
    /** 1 after another actor took the operator offline, until the operator explicitly connects. */
    keptOffline: Generated<number>;
    /** While `keptOffline` is 1: who took the operator offline, as JSON. Null if the previous version did it. */
    takenOffline: string | null;
    /** Who last changed the availability on each channel, as JSON. Null if never, or by the previous version. */
    chatChanged: string | null;
    callChanged: string | null;
    videoChanged: string | null;
    /** When an operator with active conversations went offline. */
    lostAt: number | null;
    /** When a conversation was last assigned. */
    assignedAt: Generated<number>;
    /** Consecutive offers that expired. */
    chatMissed: Generated<number>;
    callMissed: Generated<number>;
    videoMissed: Generated<number>;
    /** Copied from the operator's row, so that routing reads only one row. */
    groupId: number | null;
    websiteList: Generated<string>;
    skillList: Generated<string>;
    languageList: Generated<string>;
    firstLoginAt: number | null;
    /** 1 if the operator has a skill or a group: the live list then omits them unless a filter names them. */
    namedOnly: number;
  };
  /** Needs with a list of the routable operators who meet them: `skill 3`, `group 3`, `website 3`, `language en`. */
  routingLists: { accountId: number; need: string };
  /**
   * The routable operators of each list, by channel, with what the order of routing compares. Written by triggers on
   * `operatorLive` and `routingLists` alone.
   */
  listedOperators: {
    accountId: number;
    operatorId: number;
    channel: string;
    need: string;
    priority: number;
    share: number;
    assignedAt: number;
  };
  operatorLeases: {
    accountId: number;
    operatorId: number;
    leaseId: string;
    expiresAt: number;
    inGrace: Generated<number>;
  };
  /** Every change of a live state, append-only: the new state, the actor and the reason. */
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
    /** The newest routing decision at the time of the change: gives their order even within a millisecond. */
    afterDecision: Generated<number>;
  };
  /** What an operator has chosen for the pages: JSON. */
  operatorPreferences: { accountId: number; operatorId: number; preferences: string };
  cannedReplies: {
    accountId: number;
    id: number;
    /** `own`, `group` or `account`. */
    scope: string;
    /** The operator or the group, by the scope; 0 for the account. */
    ownerId: number;
    shortcut: string;
    shortcutFolded: string;
    /** Empty for every language. */
    language: string;
    text: string;
    updatedAt: number;
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
    /** When a session was last opened or renewed. Null if the previous version did it: `createdAt` counts. */
    lastSeenAt: number | null;
    /** 1 if the visitor was idle and is kept, because they have a conversation. */
    isKept: Generated<number>;
  };
  /** Where a visitor is, and what the website says about them. Lists are JSON. */
  visitorContext: {
    accountId: number;
    visitorId: number;
    page: string;
    title: string;
    referrer: string;
    timezone: string;
    language: string;
    fields: string;
    verifiedFields: string;
    verifiedDetails: string;
    updatedAt: number;
  };
  visitorWebsites: { accountId: number; websiteId: number; visitorId: number };
  /**
   * A visitor who has had a socket, as long as they are present or have an open conversation. Renewed by every ping,
   * without the lock of the account.
   */
  visitorPresence: {
    accountId: number;
    visitorId: number;
    /** The visitor is present while this is in the future, by the database's clock. */
    presentUntil: number;
    /** When the service noticed that the visitor had left; null while present. */
    leftAt: number | null;
  };
  visitorTokens: {
    tokenHash: string;
    accountId: number;
    visitorId: number;
    websiteId: number;
    language: string;
    issuedAt: number;
    expiresAt: number;
    /** When the first token of the session was issued. Null if the previous version did it: `issuedAt` counts. */
    sessionStartedAt: number | null;
  };

  conversations: {
    accountId: number;
    id: number;
    visitorId: number | null;
    /** Chosen by the visitor's client to detect a repeated start. */
    clientId: string | null;
    channel: 'chat' | 'call' | 'video';
    websiteId: number;
    skillId: number | null;
    groupId: number | null;
    operatorId: number | null;
    language: string;
    state: 'queued' | 'offered' | 'active' | 'closed';
    createdAt: number;
    /**
     * Position in the queue: the start time, a smaller number for the head of the queue, and a much larger one while the
     * visitor is absent.
     */
    queueOrder: Generated<number>;
    /** 1 if no operator was available at the start. */
    hasWaited: Generated<number>;
    offeredAt: number | null;
    offerUntil: number | null;
    acceptedAt: number | null;
    firstAnswerAt: number | null;
    closedAt: number | null;
    closedBy: 'operator' | 'visitor' | 'api_key' | 'system' | null;
    closedById: number | null;
    /** Null if it was closed on purpose. */
    closeReason: 'visitor_left' | 'idle' | 'nobody_could_serve' | null;
    /** Also the sequence number of its newest message. */
    messageCount: Generated<number>;
    /** The chat that was escalated to this video. */
    escalatedFromId: number | null;
    /** 1 if more than one operator has accepted it: `handlings` then has a row per operator. */
    changedHands: Generated<number>;
  };
  messages: {
    accountId: number;
    conversationId: number;
    sequence: number;
    /** Chosen by the sender's client to detect a repeated message. */
    clientId: string | null;
    authorType: 'operator' | 'visitor' | 'notice';
    authorId: number | null;
    /** Of a notice, a sentence in the language of the website, for clients that do not know its code. */
    text: string;
    at: number;
    /** Null for messages of persons and for notices of an earlier version. */
    noticeCode: string | null;
    /** JSON object with text values. */
    noticeParameters: string | null;
  };
  /** What operators note in a conversation. Never for visitors. */
  notes: {
    accountId: number;
    conversationId: number;
    /** Increases within a conversation. */
    id: number;
    /** The sequence number of the message after which it is placed; 0 before the first. */
    afterSequence: number;
    authorType: 'operator' | 'api_key';
    authorId: number | null;
    /** Chosen by the author's client to detect a repeated note; null for the note of a transfer. */
    clientId: string | null;
    text: string;
    at: number;
  };
  /** The sequence number up to which each side has read; no row if neither has read anything. */
  readMarkers: {
    accountId: number;
    conversationId: number;
    visitorUpTo: Generated<number>;
    operatorUpTo: Generated<number>;
  };
  /** Files of a conversation. Their bytes are in `attachmentChunks`. */
  attachments: {
    accountId: number;
    id: number;
    conversationId: number;
    authorType: 'operator' | 'visitor' | 'api_key';
    authorId: number | null;
    /** Being uploaded; not part of a message yet; part of a message; waiting for the deletion of its chunks. */
    state: 'pending' | 'complete' | 'attached' | 'removed';
    name: string;
    /** The media type, found in the bytes. */
    kind: string;
    /** Bytes that are stored. */
    size: number;
    /** Bytes of the account's space that are taken: an upper limit of the size while it is being uploaded. */
    reserved: number;
    /** The number of chunks that are stored. */
    chunks: number;
    width: number | null;
    height: number | null;
    /** The message, and the place in its list; null and 0 before it is sent. */
    sequence: number | null;
    place: number;
    createdAt: number;
  };
  attachmentChunks: { accountId: number; attachmentId: number; number: number; bytes: Uint8Array };
  /** The space that all attachments of an account take: the sum of `reserved`. */
  attachmentUsage: { accountId: number; bytes: number };
  /** Each operator's part in a conversation that several have accepted. */
  handlings: {
    accountId: number;
    conversationId: number;
    operatorId: number;
    acceptedAt: number;
    firstAnswerAt: number | null;
  };
  /** After declining or missing an offer, an operator is not offered the same conversation until this time. */
  offerPauses: { accountId: number; conversationId: number; operatorId: number; until: number };
  routingDecisions: {
    accountId: number;
    id: number;
    conversationId: number;
    at: number;
    /** What triggered routing: a start, a freed slot, a transfer … */
    cause: string;
    operatorId: number | null;
    forced: number;
    need: string;
    ranked: string;
    excluded: string;
    actorType: string;
    actorId: number | null;
  };
  /** Conversations that were not accepted, counted by day and reason. */
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
  /** What visitors wrote when no operator was there. */
  messagesLeft: {
    accountId: number;
    id: number;
    websiteId: number;
    visitorId: number | null;
    name: string;
    email: string;
    text: string;
    page: string;
    createdAt: number;
    /** Who takes care of it. */
    operatorId: number | null;
    doneAt: number | null;
    /** The operator who marked it as done; null if an API key did. */
    doneBy: number | null;
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
    /** JSON: the changed fields, without the values of personal and secret ones. */
    changes: string;
    /** The interface and the network address. */
    via: string | null;
    address: string | null;
  };
  /** One-time codes that a single sign-on exchanges for a token. */
  ssoCodes: { codeHash: string; accountId: number; operatorId: number; ssoVersion: number; expiresAt: number };
  /** With which an operator sets a password once. One per operator. */
  passwordLinks: {
    tokenHash: string;
    accountId: number;
    operatorId: number;
    createdAt: number;
    expiresAt: number;
    /** Who made the link: it ends when they may no longer set the password. */
    creatorType: 'operator' | 'api_key' | 'command_line' | 'system';
    creatorId: number | null;
  };
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
    /** Position up to which events were turned into deliveries. */
    position: number;
    /** The first failure after the last successful delivery. */
    failingSince: number | null;
    /** Failed attempts and dead deliveries since the last success. */
    failedInRow: number;
    deadInRow: number;
    /** The receiver asked to wait until then. */
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
    /** Next attempt. Null while an earlier delivery of the same subject is pending, and after the end. */
    nextAt: number | null;
    /** First attempt; the 24 hours for retries start here. */
    triedAt: number | null;
    createdAt: number;
    /** When it was delivered or became dead. */
    endedAt: number | null;
    lastStatus: number | null;
    lastError: string | null;
  };
  migrations: { name: string; appliedAt: number; additive: Generated<number> };
  /** What migrations leave to the background. */
  migrationWork: {
    /** Of the index or the fill. */
    name: string;
    migration: string;
    kind: 'index' | 'fill';
    /** Of a fill: 1 or 2. */
    pass: number;
    /** JSON list of numbers: the key up to which this pass has filled; null before its first batch. */
    afterKey: string | null;
    /** Rows that all passes have changed. */
    changedRows: number;
    /** The second pass starts then. */
    notBefore: number;
    finishedAt: number | null;
  };
}
