import { useEffect, useState } from 'react';
import { graphql, runQuery } from '../../../shared/api/query.ts';
import type { CannedReply } from './canned-replies.ts';

const cannedQuery = graphql(`
  query DeskCannedReplies {
    cannedReplies { id scope shortcut text language }
  }
`);

interface CannedReplies {
  readonly replies: readonly CannedReply[];
  readonly status: 'loading' | 'failed' | 'loaded';
  retry(): void;
}

const NONE: readonly CannedReply[] = [];

/** Read each time when the list is opened: someone may have changed them meanwhile. Those of the last time are shown at once. */
export function useCannedReplies(isOpen: boolean): CannedReplies {
  const [replies, setReplies] = useState<readonly CannedReply[]>();
  const [isFailed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  // Again when the list is opened, and for each attempt.
  useEffect(() => {
    if (!isOpen) return;
    let isGone = false;
    setFailed(false);
    runQuery(cannedQuery).then((answer) => {
      if (isGone) return;
      if (answer.ok) setReplies(answer.value.cannedReplies);
      setFailed(!answer.ok);
    });
    return () => {
      isGone = true;
    };
  }, [isOpen, attempt]);
  return {
    replies: replies ?? NONE,
    status: replies !== undefined ? 'loaded' : isFailed ? 'failed' : 'loading',
    retry: () => setAttempt(attempt + 1),
  };
}
