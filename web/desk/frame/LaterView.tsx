import { type ComponentType, useCallback, useEffect, useState } from 'react';
import type { Failure } from '../../shared/api/request.ts';
import { Button } from '../../shared/components/Button.tsx';
import { FailureBanner } from '../../shared/frame/FailureBanner.tsx';
import { useWait } from '../../shared/frame/useWait.ts';
import { commonTexts } from '../../shared/texts/common.ts';
import { useTexts } from '../../shared/texts/LanguageContext.tsx';

/** A view whose program is loaded when it is shown for the first time. */
export function LaterView({ load }: { readonly load: () => Promise<ComponentType> }) {
  const common = useTexts(commonTexts);
  const [loaded, setLoaded] = useState<{ readonly View: ComponentType }>();
  const [failure, setFailure] = useState<Failure>();
  const wait = useWait(failure);
  const start = useCallback(() => {
    setFailure(undefined);
    load().then(
      (View) => setLoaded({ View }),
      () => setFailure({ kind: 'unreachable' }),
    );
  }, [load]);
  useEffect(start, [start]);
  if (loaded) return <loaded.View />;
  if (failure === undefined) return null;
  return (
    <div className="page-failure">
      <FailureBanner failure={failure} wait={wait} />
      <Button onPress={start}>{common('tryAgain')}</Button>
    </div>
  );
}
