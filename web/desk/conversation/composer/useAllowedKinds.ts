import { useCallback, useEffect, useState } from 'react';
import { graphql, runQuery } from '../../../shared/api/query.ts';
import { isAllowedKind } from './allowed-kinds.ts';

const kindsQuery = graphql(`
  query DeskAttachmentKinds {
    account { attachmentKinds }
  }
`);

/** Says before a file is sent that the service would refuse it. Until it is known, everything is tried. */
export function useAllowedKinds(): (file: File) => boolean {
  const [added, setAdded] = useState<readonly string[]>();
  useEffect(() => {
    let isGone = false;
    runQuery(kindsQuery).then((answer) => {
      if (answer.ok && !isGone) setAdded(answer.value.account?.attachmentKinds);
    });
    return () => {
      isGone = true;
    };
  }, []);
  return useCallback((file) => added === undefined || isAllowedKind(file, added), [added]);
}
