import { graphql, runQuery } from '../../../shared/api/query.ts';
import { type Answer, succeed } from '../../../shared/api/request.ts';
import type { Attachment } from '../../state/model.ts';

const attachmentsQuery = graphql(`
  query DeskAttachments($id: ID!, $after: Int!) {
    conversation(id: $id) {
      messages(after: $after, first: 1) {
        attachments { id name size kind isImage width height url expiresAt }
      }
    }
  }
`);

/** Reads a message again, whose attachments have new addresses then. */
export async function readAttachment(
  conversationId: string,
  sequence: number,
  attachmentId: string,
): Promise<Answer<Attachment | undefined>> {
  const answer = await runQuery(attachmentsQuery, { id: conversationId, after: sequence - 1 });
  if (!answer.ok) return answer;
  const attachments = answer.value.conversation?.messages.flatMap((message) => message.attachments) ?? [];
  return succeed(attachments.find(({ id }) => id === attachmentId));
}
