import { runMutation } from '../../shared/api/mutation.ts';
import { graphql, runQuery } from '../../shared/api/query.ts';
import { type Answer, succeed } from '../../shared/api/request.ts';

const settingsQuery = graphql(`
  query OwnSettings {
    viewer {
      id pseudo callEnabled
      callConfig { type phoneNumber askPhoneNumberAtEveryConnection }
      profile { status description city country }
    }
  }
`);

const OPERATOR = graphql(`
  mutation ChangeOwnOperator($input: OperatorUpdateInput!) {
    operatorUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

const PROFILE = graphql(`
  mutation ChangeOwnProfile($input: OperatorProfileUpdateInput!) {
    operatorProfileUpdate(input: $input) { userErrors { field code reason message } }
  }
`);

/** What visitors and other operators see of an operator. */
export interface Profile {
  readonly pseudo: string;
  readonly status: string;
  readonly description: string;
  readonly city: string;
  readonly country: string;
}

/** Where the operator answers calls. */
export interface Pickup {
  readonly type: 'ANSWER_FROM_PHONE' | 'ANSWER_FROM_DESK';
  readonly phoneNumber: string;
  readonly askPhoneNumberAtEveryConnection: boolean;
}

export interface OwnSettings {
  readonly id: string;
  readonly profile: Profile;
  /** Undefined for those who have no calls. */
  readonly pickup: Pickup | undefined;
}

export async function readSettings(): Promise<Answer<OwnSettings>> {
  const answer = await runQuery(settingsQuery);
  if (!answer.ok) return answer;
  const { id, pseudo, profile, callEnabled, callConfig } = answer.value.viewer;
  const { status = '', description = '', city = '', country = '' } = profile ?? {};
  return succeed({
    id,
    profile: { pseudo, status, description, city, country },
    pickup: callEnabled && callConfig ? toPickup(callConfig) : undefined,
  });
}

function toPickup(config: { type: string; phoneNumber: string | null; askPhoneNumberAtEveryConnection: boolean }) {
  const type = config.type === 'ANSWER_FROM_PHONE' ? config.type : 'ANSWER_FROM_DESK';
  return { ...config, type, phoneNumber: config.phoneNumber ?? '' } as const;
}

/** Sends only what has changed. */
export async function saveProfile(id: string, before: Profile, after: Profile): Promise<Answer<unknown>> {
  const { pseudo, ...profile } = after;
  if (pseudo !== before.pseudo) {
    const answer = await runMutation(OPERATOR, { input: { id, pseudo } });
    if (!answer.ok) return answer;
  }
  return runMutation(PROFILE, { input: profile });
}

export const savePickup = (id: string, { type, phoneNumber, askPhoneNumberAtEveryConnection }: Pickup) =>
  runMutation(OPERATOR, {
    input: { id, callConfig: { type, phoneNumber: phoneNumber.trim() || null, askPhoneNumberAtEveryConnection } },
  });

export const saveLanguage = (id: string, languageAdmin: string) =>
  runMutation(OPERATOR, { input: { id, languageAdmin } });
