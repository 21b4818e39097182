import { graphql, runPermittedQuery } from '../../shared/api/query.ts';
import { type Answer, succeed } from '../../shared/api/request.ts';

const visitorQuery = graphql(`
  query VisitorOf($conversationId: ID!) {
    conversation(id: $conversationId) {
      visitor {
        id firstname lastname email phone address zip city country externalId erasedAt browser
        context {
          page title referrer browser language timezone verifiedDetails
          fields { name value isVerified }
        }
      }
    }
  }
`);

export interface VisitorContext {
  readonly page: string;
  readonly title: string;
  readonly referrer: string;
  /** The user agent. */
  readonly browser: string;
  readonly language: string;
  readonly timezone: string;
  readonly verifiedDetails: readonly string[];
  readonly fields: readonly { readonly name: string; readonly value: string; readonly isVerified: boolean }[];
}

/** What operators may change. */
export interface VisitorDetails {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
  readonly phone: string;
  readonly address: string;
  readonly zip: string;
  readonly city: string;
  readonly country: string;
}

export interface PanelVisitor extends VisitorDetails {
  readonly id: string;
  readonly externalId: string | null;
  readonly erasedAt: string | null;
  readonly browser: string;
  readonly context: VisitorContext | null;
}

/** Null if there is no visitor, or the operator may not see them. */
export async function readVisitor(conversationId: string): Promise<Answer<PanelVisitor | null>> {
  const answer = await runPermittedQuery(visitorQuery, { conversationId });
  return answer.ok ? succeed(answer.value.conversation?.visitor ?? null) : answer;
}
